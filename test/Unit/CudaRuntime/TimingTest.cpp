// Speeds on a real card; test/Integration/gpu.sh runs them. Disabled elsewhere:
// the fake driver would measure the host.
#include "CudaRuntimeTest.h"
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace partita::runtime;
using namespace partita::runtime::testing;

/// Milliseconds of `enqueue`, which is called many times, without start-up.
static double measure(partita_context *context, void *probe,
                      const std::function<void()> &enqueue) {
  auto wait = [&] {
    char byte;
    partita_read(context, &byte, probe, 1);
  };
  for (int i = 0; i < 3; ++i)
    enqueue();
  wait();
  const int rounds = 20;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i)
    enqueue();
  wait();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
             .count() /
         rounds;
}

TEST(Timing, DISABLED_Dot) {
  const int64_t n = 8192;
  Function dot = getGPUFunction("partita_dot_general");
  for (partita_dtype dtype : {PARTITA_BF16, PARTITA_F32}) {
    static Call *call;
    call = new Call(3, {{dtype, {n, n}}, {dtype, {n, n}}}, {{dtype, {n, n}}});
    call->list({}).list({}).list({1}).list({0});
    size_t bytes = size_t(n * n * getBytes(dtype));
    Buffers inputs{{Buffer(bytes), Buffer(bytes)}}, outputs{{Buffer(bytes)}};
    double ms = 0;
    ASSERT_EQ(runOnGPU({}, inputs, outputs,
                       [&](partita_context *context, void **buffers) {
                         ms = measure(context, buffers[2], [&] {
                           dot(context, call->get(), buffers);
                         });
                       }),
              "");
    std::printf("timing: dot %ld x %ld x %ld %s: %.3f ms, %.1f TFLOP/s\n",
                long(n), long(n), long(n),
                dtype == PARTITA_BF16 ? "bf16" : "f32", ms,
                2e-9 * n * n * n / ms);
  }
}

/// PARTITA_TIMING_PTX: a file with a kernel map_0 of 2^26 f32 in, as many out.
TEST(Timing, DISABLED_ElementwiseAgainstCopy) {
  const char *path = std::getenv("PARTITA_TIMING_PTX");
  ASSERT_NE(path, nullptr);
  std::ifstream file(path);
  GPUOptions options;
  options.image = std::string(std::istreambuf_iterator<char>(file), {});
  const int64_t count = int64_t(1) << 26;
  Buffers inputs{{Buffer(4 * count)}}, outputs{{Buffer(4 * count)}};
  double kernel = 0, copy = 0;
  ASSERT_EQ(runOnGPU(options, inputs, outputs,
                     [&](partita_context *context, void **buffers) {
                       int64_t sizes[] = {count / 256, 1, 1, 256, 1, 1};
                       void *arguments[] = {&buffers[0], &buffers[1]};
                       kernel = measure(context, buffers[1], [&] {
                         partita_launch(context, "map_0", sizes, arguments);
                       });
                       copy = measure(context, buffers[1], [&] {
                         partita_copy(context, buffers[1], buffers[0],
                                      4 * count);
                       });
                     }),
            "");
  std::printf("timing: elementwise 2^26 f32: %.3f ms, %.0f GB/s; copy %.3f ms, "
              "%.0f GB/s\n",
              kernel, 8e-6 * count / kernel, copy, 8e-6 * count / copy);
}
