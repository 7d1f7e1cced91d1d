// The bits of rng_bit_generator as XLA makes them: THREE_FRY and PHILOX. The
// order of the words in a result is part of what must agree, so it is here too.
#ifndef PARTITA_SUPPORT_RANDOMBITS_H
#define PARTITA_SUPPORT_RANDOMBITS_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace partita {

/// Threefry-2x32 with 20 rounds (Salmon et al., SC 2011).
inline uint64_t threefry(uint64_t counter, uint64_t key) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {uint32_t(key), uint32_t(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x = uint32_t(counter) + keys[0],
           y = uint32_t(counter >> 32) + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (int distance : rotations[group % 2]) {
      x += y;
      y = ((y << distance) | (y >> (32 - distance))) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return x | uint64_t(y) << 32;
}

/// Philox-4x32 with 10 rounds.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, uint64_t key) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(x[0]) * 0xD2511F53, b = uint64_t(x[2]) * 0xCD9E8D57;
    x = {uint32_t(b >> 32) ^ x[1] ^ k0, uint32_t(b),
         uint32_t(a >> 32) ^ x[3] ^ k1, uint32_t(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

/// emit(i, word) for each of `count` words of 64 bits; advances `state`.
template <typename Emit>
void makeThreefry64(uint64_t key, uint64_t &state, int64_t count, Emit emit) {
  for (int64_t i = 0; i < count; ++i)
    emit(i, threefry(state++, key));
}

/// emit(i, word) for each word of 32 bits of a result of this shape, i being
/// its row-major index; not in order. A counter gives two words, which are
/// neighbours along one dimension: the first even one, else the longest.
template <typename Emit>
void makeThreefry32(uint64_t key, uint64_t &state,
                    const std::vector<int64_t> &shape, Emit emit) {
  if (shape.empty())
    return emit(0, threefry(state++, key) & 0xffffffff);
  auto isEven = [](int64_t n) { return n % 2 == 0; };
  auto dim = std::find_if(shape.begin(), shape.end(), isEven);
  if (dim == shape.end())
    dim = std::max_element(shape.begin(), shape.end());
  int64_t outer = 1, inner = 1, size = *dim, half = (size + 1) / 2;
  for (auto it = shape.begin(); it != dim; ++it)
    outer *= *it;
  for (auto it = dim + 1; it != shape.end(); ++it)
    inner *= *it;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t h = 0; h < half; ++h) {
      int64_t at = (o * size + 2 * h) * inner;
      bool isWhole = 2 * h + 1 < size;
      for (int64_t i = 0; i < inner; ++i) {
        uint64_t pair = threefry(state++, key);
        emit(at + i, pair & 0xffffffff);
        if (isWhole)
          emit(at + inner + i, pair >> 32);
      }
    }
}

/// emit(i, word) for each of `count` words of 64 (`isWide`) or 32 bits. `state`
/// is a counter of 128 bits, low word first.
template <typename Emit>
void makePhilox(uint64_t key, std::array<uint64_t, 2> &state, int64_t count,
                bool isWide, Emit emit) {
  int64_t perBlock = isWide ? 2 : 4;
  for (int64_t at = 0; at < count; at += perBlock) {
    auto bits = philox({uint32_t(state[0]), uint32_t(state[0] >> 32),
                        uint32_t(state[1]), uint32_t(state[1] >> 32)},
                       key);
    if (++state[0] == 0)
      ++state[1];
    for (int64_t j = 0; j < std::min(perBlock, count - at); ++j)
      emit(at + j, isWide ? bits[2 * j] | uint64_t(bits[2 * j + 1]) << 32
                          : uint64_t(bits[j]));
  }
}

/// Element `index` of the only sequence that stablehlo.rng has here: uniform in
/// [a, b), or normal with mean a and deviation b.
inline double makeRandomNumber(uint64_t key, int64_t index, bool isNormal,
                               double a, double b) {
  auto uniform = [key](int64_t i) {
    return double(threefry(uint64_t(i), key) >> 11) * 0x1p-53;
  };
  double u = uniform(2 * index);
  if (!isNormal)
    return a + (b - a) * u;
  return a + b * std::sqrt(-2 * std::log1p(-u)) *
                 std::cos(6.283185307179586 * uniform(2 * index + 1));
}

/// The key of the sequence with this seed.
constexpr uint64_t getSequenceKey(uint64_t seed) {
  return seed ^ 0x243f6a8885a308d3ull;
}

} // namespace partita

#endif
