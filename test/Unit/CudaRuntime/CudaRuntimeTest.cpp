// The harness, and main: eight fake cards.
#include "CudaRuntimeTest.h"
#include "../../../lib/Runtime/Descriptor.h"
#include "../../../lib/Runtime/Numbers.h"
#include <cstdlib>

using namespace partita::runtime;
using namespace partita::runtime::testing;

int main(int argc, char **argv) {
  setenv("FAKE_CUDA_CARDS", "8", 1);
  setenv("FAKE_CUDA_BYTES", "268435456", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

Function partita::runtime::testing::getGPUFunction(const std::string &name) {
  for (auto [symbol, address] : getGPUSymbols())
    if (name == symbol)
      return reinterpret_cast<Function>(address);
  ADD_FAILURE() << "no symbol " << name;
  return nullptr;
}

static const Program *program = nullptr;
static size_t numArguments = 0; ///< the context and the arena included

static void callProgram(void **arguments) {
  // A program that fails leaves this frame by longjmp.
  static thread_local std::vector<void *> pointers;
  pointers.clear();
  auto *context = static_cast<partita_context *>(arguments[0]);
  for (size_t i = 1; i < numArguments; ++i)
    pointers.push_back(arguments[i]);
  (*program)(context, pointers.data());
}

std::string partita::runtime::testing::runOnGPU(GPUOptions options,
                                                const Buffers &inputs,
                                                Buffers &outputs,
                                                const Program &given) {
  using Host = std::vector<std::vector<GPUWorld::HostBuffer>>;
  Host in(inputs.size()), out(outputs.size());
  for (size_t d = 0; d < inputs.size(); ++d) {
    for (const Buffer &buffer : inputs[d])
      in[d].push_back({const_cast<char *>(buffer.data()), buffer.size()});
    for (Buffer &buffer : outputs[d])
      out[d].push_back({buffer.data(), buffer.size()});
  }
  program = &given;
  numArguments = inputs[0].size() + outputs[0].size() + 2;
  GPUWorld world(options);
  return world.run(callProgram, in, out);
}

void partita::runtime::testing::expectSame(const std::string &name, Call call,
                                           GPUOptions options,
                                           const Buffers &inputs,
                                           Buffers outputs, void *extra) {
  Function cpu = nullptr;
  for (auto [symbol, address] : getSymbols())
    if (name == symbol)
      cpu = reinterpret_cast<Function>(address);
  ASSERT_NE(cpu, nullptr);
  Buffers expected = outputs;
  WorldOptions worldOptions;
  worldOptions.numDevices = options.numDevices;
  World world(worldOptions);
  std::vector<std::vector<void *>> pointers(inputs.size());
  for (size_t d = 0; d < inputs.size(); ++d) {
    for (const Buffer &buffer : inputs[d])
      pointers[d].push_back(const_cast<char *>(buffer.data()));
    for (Buffer &buffer : expected[d])
      pointers[d].push_back(buffer.data());
    pointers[d].push_back(extra);
  }
  ASSERT_EQ(world.run([&](partita_context *context) {
    cpu(context, call.get(), pointers[partita_device_id(context)].data());
  }),
            "");
  Function gpu = getGPUFunction(name);
  size_t count = inputs[0].size() + outputs[0].size();
  Program callGPU = [&](partita_context *context, void **buffers) {
    // Outputs that the call leaves alone are zero on both sides.
    for (size_t i = inputs[0].size(); i < count; ++i) {
      const Buffer &zero = outputs[0][i - inputs[0].size()];
      partita_write(context, buffers[i], zero.data(), int64_t(zero.size()));
    }
    buffers[count] = extra;
    gpu(context, call.get(), buffers);
  };
  Buffers got = outputs;
  ASSERT_EQ(runOnGPU(options, inputs, got, callGPU), "");
  for (size_t d = 0; d < expected.size(); ++d)
    for (size_t i = 0; i < expected[d].size(); ++i)
      EXPECT_EQ(got[d][i], expected[d][i])
          << name << ", device " << d << ", output " << i;
}

int64_t partita::runtime::testing::getBytes(partita_dtype dtype) {
  return getElementBytes(dtype);
}

Buffer partita::runtime::testing::makeBytes(partita_dtype dtype, int64_t count,
                                            int64_t device) {
  Buffer bytes(count * getElementBytes(dtype));
  dispatch(dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = (device * 7 + i * 5 + 3) % 11 - 4;
      T made;
      if constexpr (std::is_same_v<T, Bool>)
        made = Bool(value % 3 == 0);
      else if constexpr (isComplex<T>)
        made =
            T(typename T::value_type(value), typename T::value_type(value % 3));
      else if constexpr (isHalf<T>)
        made = T(float(value));
      else
        made = T(value);
      std::memcpy(bytes.data() + i * sizeof(T), &made, sizeof(T));
    }
  });
  return bytes;
}
