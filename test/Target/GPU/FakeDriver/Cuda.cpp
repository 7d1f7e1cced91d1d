// A libcuda.so.1 without a GPU. Device memory is host memory, kernels are PTX run on
// the host, everything is done when it is enqueued. Since that hides missing events,
// each operation has a vector clock, and two that touch the same bytes, one of them
// writing, must be ordered by a stream, an event or a wait of the host.
//
// FAKE_CUDA_CARDS: number of cards (1). FAKE_CUDA_BYTES: memory of each.
// FAKE_CUDA_LOG: prints a count of what was done when the process ends.
#include "FakeDriver.h"
#include "Ptx.h"
#include "lib/Runtime/CUDA/Interface.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace partita::runtime::cuda;

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

using Clock = FakeClock;

bool isBefore(const Clock &clock, uint32_t stream, uint32_t time) {
  return stream < clock.size() && clock[stream] >= time;
}

void join(Clock &clock, const Clock &other) {
  if (clock.size() < other.size())
    clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

struct Card {
  int ordinal;
  size_t used = 0;
};

struct FakeStream {
  uint32_t id;
  Card *card;
  Clock clock;
};

struct FakeEvent {
  Card *card;
  Clock clock;
  bool isRecorded = false;
};

struct FakeModule {
  Card *card;
  ptx::Module module;
};

struct FakeFunction {
  FakeModule *owner;
  ptx::Function *function;
};

struct Allocation {
  size_t bytes;
  Card *card;
  /// Bytes that the running kernel has read and written.
  std::vector<uint64_t> read, written;
  size_t first = SIZE_MAX, last = 0;
};

struct Epoch {
  uint32_t stream, time;
};

/// Who touched a range of bytes last.
struct Span {
  uint64_t end;
  Epoch writer;
  std::vector<Epoch> readers;
};

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Card>> cards;
  std::map<uint64_t, Allocation> memory;
  std::map<uint64_t, Span> spans;
  uint32_t numStreams = 0;
  /// Where a kernel touched memory last.
  Allocation *lastMarked = nullptr;
  uint64_t lastBase = 0;
  size_t limit = size_t(8) << 30;
  long launches = 0, copies = 0, waits = 0, races = 0;

  State() {
    const char *count = std::getenv("FAKE_CUDA_CARDS");
    for (int i = 0; i < (count ? std::atoi(count) : 1); ++i)
      cards.push_back(std::make_unique<Card>(Card{i}));
    if (const char *bytes = std::getenv("FAKE_CUDA_BYTES"))
      limit = std::strtoull(bytes, nullptr, 10);
  }
  ~State() {
    if (std::getenv("FAKE_CUDA_LOG"))
      std::fprintf(stderr,
                   "fake cuda: %ld launches, %ld copies, %ld waits, %ld races, %zu "
                   "allocations left\n",
                   launches, copies, waits, races, memory.size());
  }
};

State &getState() {
  static State state;
  return state;
}

thread_local Card *currentCard = nullptr;
thread_local Clock hostClock;

std::map<uint64_t, Allocation>::iterator findMemory(uint64_t address) {
  auto &memory = getState().memory;
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return memory.end();
  --after;
  return address < after->first + after->second.bytes ? after : memory.end();
}

/// Makes `at` a border of spans.
void splitSpan(uint64_t at) {
  auto &spans = getState().spans;
  auto after = spans.upper_bound(at);
  if (after == spans.begin())
    return;
  --after;
  if (after->first == at || after->second.end <= at)
    return;
  Span rest = after->second;
  after->second.end = at;
  spans.emplace(at, std::move(rest));
}

bool reportRace(const FakeStream &stream, uint64_t from, const char *what, Epoch other,
                const char *before) {
  State &state = getState();
  if (state.races++ < 5)
    std::fprintf(stderr,
                 "fake cuda: race: stream %u %s byte %#llx, which stream %u %s without an "
                 "event or a wait between\n",
                 stream.id, what, static_cast<unsigned long long>(from), other.stream, before);
  return false;
}

/// Checks an access of the stream's present operation and remembers it.
bool touch(FakeStream &stream, uint64_t from, uint64_t to, bool isWrite) {
  auto &spans = getState().spans;
  Epoch now{stream.id, stream.clock[stream.id]};
  splitSpan(from);
  splitSpan(to);
  bool ok = true;
  uint64_t at = from;
  for (auto it = spans.lower_bound(from); it != spans.end() && it->first < to;) {
    Span &span = it->second;
    if (span.writer.time && !isBefore(stream.clock, span.writer.stream, span.writer.time) && ok)
      ok = reportRace(stream, it->first, isWrite ? "writes" : "reads", span.writer, "wrote");
    if (isWrite) {
      for (Epoch reader : span.readers)
        if (!isBefore(stream.clock, reader.stream, reader.time) && ok)
          ok = reportRace(stream, it->first, "writes", reader, "read");
      it = spans.erase(it);
      continue;
    }
    if (it->first > at) // never touched before
      spans.emplace(at, Span{it->first, {}, {now}});
    at = span.end;
    span.readers.erase(std::remove_if(span.readers.begin(), span.readers.end(),
                                      [&](Epoch e) { return e.stream == now.stream; }),
                       span.readers.end());
    span.readers.push_back(now);
    ++it;
  }
  if (isWrite)
    spans.emplace(from, Span{to, now, {}});
  else if (at < to)
    spans.emplace(at, Span{to, {}, {now}});
  return ok;
}

bool accessMemory(FakeStream &stream, uint64_t address, size_t bytes, bool isWrite) {
  if (bytes == 0)
    return true;
  auto memory = findMemory(address);
  if (memory == getState().memory.end() ||
      address + bytes > memory->first + memory->second.bytes) {
    std::fprintf(stderr, "fake cuda: %zu bytes at %#llx are not in device memory\n", bytes,
                 static_cast<unsigned long long>(address));
    return false;
  }
  if (memory->second.card != stream.card) {
    std::fprintf(stderr, "fake cuda: a stream of card %d touches memory of card %d\n",
                 stream.card->ordinal, memory->second.card->ordinal);
    return false;
  }
  return touch(stream, address, address + bytes, isWrite);
}

void begin(FakeStream &stream) {
  join(stream.clock, hostClock);
  if (stream.clock.size() <= stream.id)
    stream.clock.resize(stream.id + 1);
  ++stream.clock[stream.id];
}

FakeStream *toStream(void *stream) { return static_cast<FakeStream *>(stream); }

/// Marks bytes that a kernel touches; they are checked when it ends.
bool markBytes(Card *card, uint64_t address, uint32_t bytes, bool isWrite) {
  State &state = getState();
  Allocation *&last = state.lastMarked;
  uint64_t &base = state.lastBase;
  if (!last || last->card != card || address < base ||
      address + bytes > base + last->bytes) {
    auto found = findMemory(address);
    if (found == state.memory.end() || address + bytes > found->first + found->second.bytes ||
        found->second.card != card)
      return false;
    last = &found->second;
    base = found->first;
  }
  auto &bits = isWrite ? last->written : last->read;
  if (bits.empty())
    bits.resize((last->bytes + 63) / 64);
  for (size_t at = address - base, end = at + bytes; at < end; ++at)
    bits[at / 64] |= uint64_t(1) << at % 64;
  last->first = std::min<size_t>(last->first, (address - base) / 64);
  last->last = std::max<size_t>(last->last, (address + bytes - base) / 64 + 1);
  return true;
}

/// Checks the runs of set bits and clears them.
bool checkMarks(FakeStream &stream, uint64_t base, Allocation &memory,
                std::vector<uint64_t> &bits, bool isWrite) {
  if (bits.empty())
    return true;
  bool ok = true;
  size_t end = std::min(memory.last * 64, memory.bytes);
  auto isSet = [&](size_t at) { return bits[at / 64] >> at % 64 & 1; };
  for (size_t at = memory.first * 64; at < end;) {
    if (at % 64 == 0 && !bits[at / 64]) {
      at += 64;
      continue;
    }
    if (!isSet(at)) {
      ++at;
      continue;
    }
    size_t from = at;
    while (at < end && isSet(at))
      at += at % 64 == 0 && bits[at / 64] == ~uint64_t(0) ? 64 : 1;
    ok &= touch(stream, base + from, base + std::min(at, memory.bytes), isWrite);
  }
  std::fill(bits.begin() + memory.first, bits.begin() + std::min(memory.last, bits.size()), 0);
  return ok;
}

bool checkKernel(FakeStream &stream) {
  bool ok = true;
  for (auto &[base, memory] : getState().memory) {
    if (memory.first == SIZE_MAX)
      continue;
    ok &= checkMarks(stream, base, memory, memory.read, false);
    ok &= checkMarks(stream, base, memory, memory.written, true);
    memory.first = SIZE_MAX;
    memory.last = 0;
  }
  return ok;
}

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
  *text = error == kOutOfMemory ? "out of memory" : "an error of the fake driver";
  return 0;
}

EXPORT Result cuDeviceGetCount(int *count) {
  *count = int(getState().cards.size());
  return 0;
}

EXPORT Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  NEEDS(ordinal >= 0 && size_t(ordinal) < getState().cards.size(), kInvalidValue);
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

EXPORT Result cuMemsetD8Async(DevicePointer target, unsigned char value, size_t count,
                              Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), target, count, true), kIllegalAddress);
  std::memset(reinterpret_cast<void *>(target), value, count);
  return 0;
}

EXPORT Result cuMemsetD32Async(DevicePointer target, unsigned value, size_t count,
                               Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  begin(*toStream(stream));
  NEEDS(target % 4 == 0, kInvalidValue);
  NEEDS(accessMemory(*toStream(stream), target, 4 * count, true), kIllegalAddress);
  std::fill_n(reinterpret_cast<unsigned *>(target), count, value);
  return 0;
}

EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source, size_t bytes,
                                   Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), source, bytes, false), kIllegalAddress);
  NEEDS(accessMemory(*toStream(stream), target, bytes, true), kIllegalAddress);
  NEEDS(target + bytes <= source || source + bytes <= target, kInvalidValue);
  std::memcpy(reinterpret_cast<void *>(target), reinterpret_cast<void *>(source), bytes);
  return 0;
}

EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source, size_t bytes,
                                   Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), target, bytes, true), kIllegalAddress);
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return 0;
}

EXPORT Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes,
                                   Stream stream) {
  LOCKED;
  NEEDS(currentCard && stream, kInvalidContext);
  ++getState().copies;
  begin(*toStream(stream));
  NEEDS(accessMemory(*toStream(stream), source, bytes, false), kIllegalAddress);
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return 0;
}

EXPORT Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                                 int *options, void **values) {
  LOCKED;
  NEEDS(currentCard, kInvalidContext);
  auto made = std::make_unique<FakeModule>();
  made->card = currentCard;
  std::string error = std::strncmp(static_cast<const char *>(image), "\177ELF", 4) == 0
                          ? "the fake driver takes PTX, no cubin"
                          : ptx::parse(static_cast<const char *>(image), made->module);
  if (!error.empty()) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kJitErrorLogBuffer)
        std::snprintf(static_cast<char *>(values[i]), 4096, "%s", error.c_str());
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

EXPORT Result cuModuleGetFunction(Function *function, Module module, const char *name) {
  LOCKED;
  auto *owner = reinterpret_cast<FakeModule *>(module);
  ptx::Function *found = owner->module.find(name);
  NEEDS(found && found->isEntry, kNotFound);
  static std::vector<std::unique_ptr<FakeFunction>> functions;
  functions.push_back(std::make_unique<FakeFunction>(FakeFunction{owner, found}));
  *function = reinterpret_cast<Function>(functions.back().get());
  return 0;
}

EXPORT Result cuLaunchKernel(Function handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                             unsigned blockX, unsigned blockY, unsigned blockZ,
                             unsigned sharedBytes, Stream stream, void **arguments,
                             void **extra) {
  LOCKED;
  auto *function = reinterpret_cast<FakeFunction *>(handle);
  NEEDS(currentCard && stream && toStream(stream)->card == currentCard, kInvalidContext);
  NEEDS(function->owner->card == currentCard, kInvalidHandle);
  NEEDS(gridX && gridY && gridZ && blockX && blockY && blockZ &&
            size_t(blockX) * blockY * blockZ <= 1024 && gridY < 65536 && gridZ < 65536 &&
            !sharedBytes && !extra,
        kInvalidValue);
  ++getState().launches;
  begin(*toStream(stream));
  ptx::Launch launch{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, {}};
  for (size_t i = 0; i < function->function->parameters.size(); ++i)
    launch.arguments.push_back(arguments[i]);
  launch.access = [](uint64_t address, uint32_t bytes, bool isWrite) {
    return markBytes(currentCard, address, bytes, isWrite);
  };
  std::string error = ptx::run(function->owner->module, *function->function, launch);
  bool isOrdered = checkKernel(*toStream(stream));
  if (!error.empty())
    std::fprintf(stderr, "fake cuda: kernel %s\n", error.c_str());
  if (!isOrdered)
    std::fprintf(stderr, "fake cuda: in kernel %s\n", function->function->name.c_str());
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
