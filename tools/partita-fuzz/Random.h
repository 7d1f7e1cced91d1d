// A small random generator that gives the same numbers on every machine.
#ifndef PARTITA_TOOLS_FUZZ_RANDOM_H
#define PARTITA_TOOLS_FUZZ_RANDOM_H

#include <cstdint>
#include <utility>

namespace partita {

class Random {
public:
  /// The seed is mixed twice: neighbours must not share a stream.
  explicit Random(uint64_t seed) : state(seed) {
    state = next() ^ 0x5851f42d4c957f2dull;
    state = next();
  }

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % (high - low + 1));
  }
  bool chance(int64_t percent) { return in(0, 99) < percent; }
  template <typename Range> auto pick(const Range &range) {
    return *(std::begin(range) +
             in(0, std::end(range) - std::begin(range) - 1));
  }
  template <typename Range> void shuffle(Range &range) {
    for (int64_t i = static_cast<int64_t>(range.size()) - 1; i > 0; --i)
      std::swap(range[i], range[in(0, i)]);
  }

private:
  uint64_t state;
};

} // namespace partita

#endif
