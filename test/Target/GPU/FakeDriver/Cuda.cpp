// A libcuda.so.1 without a GPU. Device memory is host memory, kernels are PTX
// run on the host, everything is done when it is enqueued. Since that hides
// missing events, each operation has a vector clock, and two that touch the
// same bytes, one of them writing, must be ordered by a stream, an event or a
// wait of the host.
//
// FAKE_CUDA_CARDS: number of cards (1). FAKE_CUDA_BYTES: memory of each.
// FAKE_CUDA_LOG: prints a count of what was done when the process ends.
#include "Races.h"
#include "lib/Runtime/CUDA/Interface.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace partita::runtime::cuda;
using namespace fake;

namespace {

enum : Result {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidContext = 201,
  kInvalidImage = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchFailed = 719
};

#define LOCKED std::lock_guard<std::mutex> lock(getState().mutex)
#define NEEDS(condition, code)                                                 \
  if (!(condition))                                                            \
  return code

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

FakeClock fake_begin(void *handle, const FakeClock *after) {
  FakeStream &stream = *toStream(handle);
  if (after)
    join(stream.clock, *after);
  begin(stream);
  return stream.clock;
}
bool fake_access(void *stream, uint64_t address, size_t bytes, bool isWrite) {
  return accessMemory(*toStream(stream), address, bytes, isWrite);
}
void fake_lock() { getState().mutex.lock(); }
void fake_unlock() { getState().mutex.unlock(); }
int fake_card(void *stream) { return toStream(stream)->card->ordinal; }

EXPORT Result cuInit(unsigned flags) { return flags ? kInvalidValue : 0; }

EXPORT Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

EXPORT Result cuGetErrorName(Result error, const char **text) {
  static const std::map<int, const char *> names = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kInvalidImage, "CUDA_ERROR_INVALID_PTX"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  auto name = names.find(error);
  *text = name == names.end() ? "CUDA_ERROR_UNKNOWN" : name->second;
  return 0;
}

EXPORT Result cuGetErrorString(Result error, const char **text) {
  *text =
      error == kOutOfMemory ? "out of memory" : "an error of the fake driver";
  return 0;
}

EXPORT Result cuDeviceGetCount(int *count) {
  *count = int(getState().cards.size());
  return 0;
}

EXPORT Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  NEEDS(ordinal >= 0 && size_t(ordinal) < getState().cards.size(),
        kInvalidValue);
  *device = ordinal;
  return 0;
}

EXPORT Result cuDeviceGetName(char *name, int length, DeviceHandle) {
  std::snprintf(name, size_t(length), "fake card");
  return 0;
}

EXPORT Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  *value = attribute == kComputeCapabilityMajor ? 9 : 0;
  return 0;
}

EXPORT Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  *context = reinterpret_cast<Context>(getState().cards[size_t(device)].get());
  return 0;
}

EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return 0; }

EXPORT Result cuCtxSetCurrent(Context context) {
  currentCard = reinterpret_cast<Card *>(context);
  return 0;
}

EXPORT Result cuMemGetInfo_v2(size_t *available, size_t *total) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  *total = getState().limit;
  *available = *total - currentCard->used;
  return 0;
}

EXPORT Result cuMemAlloc_v2(DevicePointer *memory, size_t bytes) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  NEEDS(bytes > 0, kInvalidValue);
  State &state = getState();
  NEEDS(currentCard->used + bytes <= state.limit, kOutOfMemory);
  void *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  NEEDS(data, kOutOfMemory);
  std::memset(data, 0xa5, bytes); // nobody has written it yet
  *memory = reinterpret_cast<DevicePointer>(data);
  state.memory[*memory] = {bytes, currentCard, {}, {}};
  currentCard->used += bytes;
  return 0;
}

EXPORT Result cuMemFree_v2(DevicePointer memory) {
  LOCKED;
  State &state = getState();
  auto found = state.memory.find(memory);
  NEEDS(found != state.memory.end(), kInvalidValue);
  found->second.card->used -= found->second.bytes;
  splitSpan(memory);
  splitSpan(memory + found->second.bytes);
  state.spans.erase(state.spans.lower_bound(memory),
                    state.spans.lower_bound(memory + found->second.bytes));
  state.memory.erase(found);
  state.lastMarked = nullptr;
  std::free(reinterpret_cast<void *>(memory));
  return 0;
}

EXPORT Result cuMemsetD8Async(DevicePointer target, unsigned char value,
                              size_t count, Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), target, count, true), kIllegalAddress);
  std::memset(reinterpret_cast<void *>(target), value, count);
  return 0;
}

EXPORT Result cuMemsetD32Async(DevicePointer target, unsigned value,
                               size_t count, Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  begin(*toStream(stream));
  NEEDS(target % 4 == 0, kInvalidValue);
  NEEDS(accessMemory(*toStream(stream), target, 4 * count, true),
        kIllegalAddress);
  std::fill_n(reinterpret_cast<unsigned *>(target), count, value);
  return 0;
}

EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                                   size_t bytes, Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), source, bytes, false), kIllegalAddress);
  NEEDS(accessMemory(*toStream(stream), target, bytes, true), kIllegalAddress);
  NEEDS(target + bytes <= source || source + bytes <= target, kInvalidValue);
  std::memcpy(reinterpret_cast<void *>(target),
              reinterpret_cast<void *>(source), bytes);
  return 0;
}

EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source,
                                   size_t bytes, Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), target, bytes, true), kIllegalAddress);
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return 0;
}

EXPORT Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source,
                                   size_t bytes, Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), source, bytes, false), kIllegalAddress);
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return 0;
}

EXPORT Result cuModuleLoadDataEx(Module *module, const void *image,
                                 unsigned count, int *options, void **values) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  auto made = std::make_unique<FakeModule>();
  made->card = currentCard;
  std::string error =
      std::strncmp(static_cast<const char *>(image), "\177ELF", 4) == 0
          ? "the fake driver takes PTX, no cubin"
          : ptx::parse(static_cast<const char *>(image), made->module);
  if (!error.empty()) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kJitErrorLogBuffer)
        std::snprintf(static_cast<char *>(values[i]), 4096, "%s",
                      error.c_str());
    return kInvalidImage;
  }
  *module = reinterpret_cast<Module>(made.release());
  return 0;
}

EXPORT Result cuModuleUnload(Module module) {
  LOCKED;
  delete reinterpret_cast<FakeModule *>(module);
  return 0;
}

EXPORT Result cuModuleGetFunction(Function *function, Module module,
                                  const char *name) {
  LOCKED;
  auto *owner = reinterpret_cast<FakeModule *>(module);
  ptx::Function *found = owner->module.find(name);
  NEEDS(found && found->isEntry, kNotFound);
  static std::vector<std::unique_ptr<FakeFunction>> functions;
  functions.push_back(
      std::make_unique<FakeFunction>(FakeFunction{owner, found}));
  *function = reinterpret_cast<Function>(functions.back().get());
  return 0;
}

EXPORT Result cuLaunchKernel(Function handle, unsigned gridX, unsigned gridY,
                             unsigned gridZ, unsigned blockX, unsigned blockY,
                             unsigned blockZ, unsigned sharedBytes,
                             Stream stream, void **arguments, void **extra) {
  LOCKED;
  auto *function = reinterpret_cast<FakeFunction *>(handle);
  NEEDS(currentCard && stream && toStream(stream)->card == currentCard,
        kInvalidContext);
  NEEDS(function->owner->card == currentCard, kInvalidHandle);
  NEEDS(gridX && gridY && gridZ && blockX && blockY && blockZ &&
            size_t(blockX) * blockY * blockZ <= 1024 && gridY < 65536 &&
            gridZ < 65536 && !sharedBytes && !extra,
        kInvalidValue);
  ++getState().launches;
  begin(*toStream(stream));
  ptx::Launch launch{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, {}};
  for (size_t i = 0; i < function->function->parameters.size(); ++i)
    launch.arguments.push_back(arguments[i]);
  launch.access = [](uint64_t address, uint32_t bytes, bool isWrite) {
    return markBytes(currentCard, address, bytes, isWrite);
  };
  std::string error =
      ptx::run(function->owner->module, *function->function, launch);
  bool isOrdered = checkKernel(*toStream(stream));
  if (!error.empty())
    std::fprintf(stderr, "fake cuda: kernel %s\n", error.c_str());
  if (!isOrdered)
    std::fprintf(stderr, "fake cuda: in kernel %s\n",
                 function->function->name.c_str());
  return error.empty() && isOrdered ? 0 : kLaunchFailed;
}

EXPORT Result cuStreamCreate(Stream *stream, unsigned) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  *stream = reinterpret_cast<Stream>(
      new FakeStream{getState().numStreams++, currentCard, {}});
  return 0;
}

EXPORT Result cuStreamDestroy_v2(Stream stream) {
  LOCKED;
  delete reinterpret_cast<FakeStream *>(stream);
  return 0;
}

EXPORT Result cuStreamSynchronize(Stream stream) {
  LOCKED;
  NEEDS(stream, kInvalidHandle);
  join(hostClock, toStream(stream)->clock);
  return 0;
}

EXPORT Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  LOCKED;
  NEEDS(stream && event, kInvalidHandle);
  ++getState().waits;
  auto *fake = reinterpret_cast<FakeEvent *>(event);
  join(toStream(stream)->clock, fake->clock);
  return 0;
}

EXPORT Result cuEventCreate(Event *event, unsigned) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  *event = reinterpret_cast<Event>(new FakeEvent{currentCard, {}});
  return 0;
}

EXPORT Result cuEventRecord(Event event, Stream stream) {
  LOCKED;
  auto *fake = reinterpret_cast<FakeEvent *>(event);
  NEEDS(stream && fake && fake->card == toStream(stream)->card, kInvalidHandle);
  fake->clock = toStream(stream)->clock;
  fake->isRecorded = true;
  return 0;
}

EXPORT Result cuEventDestroy_v2(Event event) {
  LOCKED;
  delete reinterpret_cast<FakeEvent *>(event);
  return 0;
}
