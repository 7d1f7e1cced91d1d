// The fake driver's memory and who touched it: vector clocks find two accesses
// that no stream, event or wait orders.
#ifndef PARTITA_TEST_FAKEDRIVER_RACES_H
#define PARTITA_TEST_FAKEDRIVER_RACES_H

#include "FakeDriver.h"
#include "Ptx.h"
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace fake {

using Clock = FakeClock;

inline bool isBefore(const Clock &clock, uint32_t stream, uint32_t time) {
  return stream < clock.size() && clock[stream] >= time;
}

inline void join(Clock &clock, const Clock &other) {
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
      std::fprintf(
          stderr,
          "fake cuda: %ld launches, %ld copies, %ld waits, %ld races, %zu "
          "allocations left\n",
          launches, copies, waits, races, memory.size());
  }
};

State &getState();

extern thread_local Card *currentCard;
extern thread_local Clock hostClock;

/// The next operation of the stream begins.
void begin(FakeStream &stream);
/// The stream's present operation touches memory; false, with a message, at a
/// race or where no memory of the stream's card is.
bool accessMemory(FakeStream &stream, uint64_t address, size_t bytes,
                  bool isWrite);
/// Makes `at` a border between remembered accesses.
void splitSpan(uint64_t at);
/// Marks bytes that a kernel touches; they are checked by checkKernel when it
/// ends.
bool markBytes(Card *card, uint64_t address, uint32_t bytes, bool isWrite);
bool checkKernel(FakeStream &stream);

inline FakeStream *toStream(void *stream) {
  return static_cast<FakeStream *>(stream);
}

} // namespace fake

#endif
