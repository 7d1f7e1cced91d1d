// What goes wrong is told, and the fake driver tells what a GPU would not.
#include "../../../lib/Runtime/CUDA/Libraries.h"
#include "CudaRuntimeTest.h"

using namespace partita::runtime;
using namespace partita::runtime::testing;
using namespace partita::runtime::cuda;

static void expectText(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

static GPUOptions onOneCard(int64_t devices) {
  GPUOptions options;
  options.numDevices = devices;
  options.transport = GPUTransport::OneCard;
  return options;
}

TEST(Failure, DevicesDisagree) {
  auto function = getGPUFunction("partita_all_reduce");
  std::vector<Words> both{{0, 1}};
  Buffers inputs(2, {Buffer(64)}), outputs(2, {Buffer(64)});
  std::string error =
      runOnGPU(onOneCard(2), inputs, outputs,
               [&](partita_context *context, void **buffers) {
                 partita_dtype dtype =
                     partita_device_id(context) ? PARTITA_I32 : PARTITA_F32;
                 static Call *calls[2];
                 Call *&call = calls[partita_device_id(context)];
                 call = new Call(7, {{dtype, {4}}}, {{dtype, {4}}});
                 call->groups(both).add(PARTITA_ADD);
                 function(context, call->get(), buffers);
               });
  expectText(error, "disagree at op 7 (all_reduce)");
}

TEST(Failure, ADeviceIsMissing) {
  auto function = getGPUFunction("partita_all_reduce");
  std::vector<Words> both{{0, 1}};
  Buffers inputs(2, {Buffer(64)}), outputs(2, {Buffer(64)});
  static Call call(7, {{PARTITA_F32, {4}}}, {{PARTITA_F32, {4}}});
  call.groups(both).add(PARTITA_ADD);
  std::string error = runOnGPU(onOneCard(2), inputs, outputs,
                               [&](partita_context *context, void **buffers) {
                                 if (partita_device_id(context) == 0)
                                   function(context, call.get(), buffers);
                               });
  expectText(error,
             "device 0 waits at op 7 (all_reduce), but device 1 has ended");
}

TEST(Failure, UnknownKernel) {
  Buffers inputs(1), outputs(1);
  GPUOptions options;
  options.image = ".version 8.0\n.target sm_80\n.address_size 64\n";
  std::string error =
      runOnGPU(options, inputs, outputs, [](partita_context *context, void **) {
        int64_t sizes[] = {1, 1, 1, 32, 1, 1};
        partita_launch(context, "nowhere", sizes, nullptr);
      });
  expectText(error,
             "device 0, nowhere: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND");
}

TEST(Failure, BadImage) {
  Buffers inputs(1), outputs(1);
  GPUOptions options;
  options.image = ".version 8.0\n.visible .entry k() { frobnicate.b32 %r0; }";
  std::string error =
      runOnGPU(options, inputs, outputs, [](partita_context *, void **) {});
  expectText(error, "cuModuleLoadDataEx");
  expectText(error, "unknown instruction 'frobnicate.b32'");
}

TEST(Failure, NotEnoughMemory) {
  Buffers inputs(2), outputs(2);
  GPUOptions options = onOneCard(2);
  options.arenaBytes = size_t(160) << 20; // each; a fake card has 256 MiB
  std::string error =
      runOnGPU(options, inputs, outputs, [](partita_context *, void **) {});
  expectText(error, "167772160 bytes are needed for device 1, ");
  expectText(error, "out of memory");
}

TEST(Failure, TooFewCardsForNccl) {
  Buffers inputs(9), outputs(9);
  GPUOptions options;
  options.numDevices = 9;
  options.transport = GPUTransport::NCCL;
  std::string error =
      runOnGPU(options, inputs, outputs, [](partita_context *, void **) {});
  expectText(error, "NCCL needs a card for each of 9 devices, there are 8");
}

//===----------------------------------------------------------------------===//
// The fake driver
//===----------------------------------------------------------------------===//

namespace {
class Fake : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(getDriver().error, "");
    driver.cuDevicePrimaryCtxRetain(&context, 0);
    driver.cuCtxSetCurrent(context);
    driver.cuStreamCreate(&a, 0);
    driver.cuStreamCreate(&b, 0);
    driver.cuEventCreate(&event, 0);
    driver.cuMemAlloc(&memory, 1024);
  }
  void TearDown() override {
    driver.cuMemFree(memory);
    driver.cuEventDestroy(event);
    driver.cuStreamDestroy(a);
    driver.cuStreamDestroy(b);
  }
  int write(Stream stream) {
    return driver.cuMemsetD8Async(memory, 0, 100, stream);
  }
  int read(Stream stream) {
    return driver.cuMemcpyDtoDAsync(memory + 512, memory + 50, 10, stream);
  }

  const Driver &driver = getDriver().table;
  Context context;
  Stream a, b;
  Event event;
  DevicePointer memory;
};
} // namespace

TEST_F(Fake, FindsAReadWithoutAnEvent) {
  ASSERT_EQ(write(a), 0);
  EXPECT_NE(read(b), 0);
}

TEST_F(Fake, FindsAWriteWithoutAnEvent) {
  ASSERT_EQ(read(b), 0);
  EXPECT_NE(write(a), 0);
}

TEST_F(Fake, AnEventOrders) {
  ASSERT_EQ(write(a), 0);
  driver.cuEventRecord(event, a);
  driver.cuStreamWaitEvent(b, event, 0);
  EXPECT_EQ(read(b), 0);
}

TEST_F(Fake, AnEventRecordedTooEarlyDoesNot) {
  driver.cuEventRecord(event, a);
  ASSERT_EQ(write(a), 0);
  driver.cuStreamWaitEvent(b, event, 0);
  EXPECT_NE(read(b), 0);
}

TEST_F(Fake, TheHostsWaitOrders) {
  ASSERT_EQ(write(a), 0);
  driver.cuStreamSynchronize(a);
  EXPECT_EQ(read(b), 0);
}

TEST_F(Fake, RefusesWhatIsNotDeviceMemory) {
  EXPECT_NE(driver.cuMemsetD8Async(memory + 1000, 0, 100, a), 0);
}
