// Finds races between operations of streams.
#include "Races.h"
#include <cstdio>

using namespace fake;

State &fake::getState() {
  static State state;
  return state;
}

thread_local Card *fake::currentCard = nullptr;
thread_local Clock fake::hostClock;

static std::map<uint64_t, Allocation>::iterator findMemory(uint64_t address) {
  auto &memory = getState().memory;
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return memory.end();
  --after;
  return address < after->first + after->second.bytes ? after : memory.end();
}

/// Makes `at` a border of spans.
void fake::splitSpan(uint64_t at) {
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

static bool reportRace(const FakeStream &stream, uint64_t from,
                       const char *what, Epoch other, const char *before) {
  State &state = getState();
  if (state.races++ < 5)
    std::fprintf(stderr,
                 "fake cuda: race: stream %u %s byte %#llx, which stream %u %s "
                 "without an "
                 "event or a wait between\n",
                 stream.id, what, static_cast<unsigned long long>(from),
                 other.stream, before);
  return false;
}

/// Checks an access of the stream's present operation and remembers it.
static bool touch(FakeStream &stream, uint64_t from, uint64_t to,
                  bool isWrite) {
  auto &spans = getState().spans;
  Epoch now{stream.id, stream.clock[stream.id]};
  splitSpan(from);
  splitSpan(to);
  bool ok = true;
  uint64_t at = from;
  for (auto it = spans.lower_bound(from);
       it != spans.end() && it->first < to;) {
    Span &span = it->second;
    if (span.writer.time &&
        !isBefore(stream.clock, span.writer.stream, span.writer.time) && ok)
      ok = reportRace(stream, it->first, isWrite ? "writes" : "reads",
                      span.writer, "wrote");
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
    span.readers.erase(
        std::remove_if(span.readers.begin(), span.readers.end(),
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

bool fake::accessMemory(FakeStream &stream, uint64_t address, size_t bytes,
                        bool isWrite) {
  if (bytes == 0)
    return true;
  auto memory = findMemory(address);
  if (memory == getState().memory.end() ||
      address + bytes > memory->first + memory->second.bytes) {
    std::fprintf(stderr,
                 "fake cuda: %zu bytes at %#llx are not in device memory\n",
                 bytes, static_cast<unsigned long long>(address));
    return false;
  }
  if (memory->second.card != stream.card) {
    std::fprintf(stderr,
                 "fake cuda: a stream of card %d touches memory of card %d\n",
                 stream.card->ordinal, memory->second.card->ordinal);
    return false;
  }
  return touch(stream, address, address + bytes, isWrite);
}

void fake::begin(FakeStream &stream) {
  join(stream.clock, hostClock);
  if (stream.clock.size() <= stream.id)
    stream.clock.resize(stream.id + 1);
  ++stream.clock[stream.id];
}

/// Marks bytes that a kernel touches; they are checked when it ends.
bool fake::markBytes(Card *card, uint64_t address, uint32_t bytes,
                     bool isWrite) {
  State &state = getState();
  Allocation *&last = state.lastMarked;
  uint64_t &base = state.lastBase;
  if (!last || last->card != card || address < base ||
      address + bytes > base + last->bytes) {
    auto found = findMemory(address);
    if (found == state.memory.end() ||
        address + bytes > found->first + found->second.bytes ||
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
static bool checkMarks(FakeStream &stream, uint64_t base, Allocation &memory,
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
    ok &=
        touch(stream, base + from, base + std::min(at, memory.bytes), isWrite);
  }
  std::fill(bits.begin() + memory.first,
            bits.begin() + std::min(memory.last, bits.size()), 0);
  return ok;
}

bool fake::checkKernel(FakeStream &stream) {
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
