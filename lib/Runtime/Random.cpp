// rng_bit_generator with the bits that XLA makes: THREE_FRY, PHILOX, and PHILOX for
// DEFAULT.
#include "Convert.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>
#include <array>
#include <cstring>

using namespace partita::runtime;

static uint32_t rotate(uint32_t x, int distance) {
  return (x << distance) | (x >> (32 - distance));
}

/// Threefry-2x32 with 20 rounds (Salmon et al., SC 2011).
static uint64_t threefry(uint64_t counter, uint64_t key) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {uint32_t(key), uint32_t(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x = uint32_t(counter) + keys[0], y = uint32_t(counter >> 32) + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (int distance : rotations[group % 2]) {
      x += y;
      y = rotate(y, distance) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return x | uint64_t(y) << 32;
}

/// Philox-4x32 with 10 rounds.
static std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, uint64_t key) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(x[0]) * 0xD2511F53, b = uint64_t(x[2]) * 0xCD9E8D57;
    x = {uint32_t(b >> 32) ^ x[1] ^ k0, uint32_t(b), uint32_t(a >> 32) ^ x[3] ^ k1,
         uint32_t(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

/// Words of 32 bits in row-major order. A counter gives two words, which are
/// neighbours along one dimension: the first even one, else the longest.
template <typename Emit>
static void makeThreefry32(uint64_t key, uint64_t &state, const Shape &shape, Emit emit) {
  if (shape.empty())
    return emit(0, uint32_t(threefry(state++, key)));
  auto dim = std::find_if(shape.begin(), shape.end(), [](int64_t n) { return n % 2 == 0; });
  if (dim == shape.end())
    dim = std::max_element(shape.begin(), shape.end());
  size_t split = dim - shape.begin();
  Shape half = shape;
  half[split] = (half[split] + 1) / 2;
  Shape strides = getStrides(shape);
  int64_t step = strides[split], size = shape[split];
  uint64_t counter = state;
  forEachIndex(half, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += (d == split ? 2 * index[d] : index[d]) * strides[d];
    uint64_t pair = threefry(counter++, key);
    emit(at, uint32_t(pair));
    if (2 * index[split] + 1 < size)
      emit(at + step, pair >> 32);
  });
  state += getVolume(half);
}

/// `state` is a counter of 128 bits, low word first.
template <typename Emit>
static void makePhilox(uint64_t key, std::array<uint64_t, 2> &state, int64_t count,
                       bool isWide, Emit emit) {
  int64_t perBlock = isWide ? 2 : 4;
  for (int64_t at = 0; at < count; at += perBlock) {
    auto bits = philox({uint32_t(state[0]), uint32_t(state[0] >> 32), uint32_t(state[1]),
                        uint32_t(state[1] >> 32)},
                       key);
    if (++state[0] == 0)
      ++state[1];
    for (int64_t j = 0; j < std::min(perBlock, count - at); ++j)
      emit(at + j, isWide ? bits[2 * j] | uint64_t(bits[2 * j + 1]) << 32 : bits[j]);
  }
}

/// The state as words of 64 bits; its type may be of 32 or 64 bits.
static std::vector<uint64_t> readState(const BufferType &type, const void *data) {
  std::vector<uint64_t> words(type.getBytes() / 8);
  if (!words.empty())
    std::memcpy(words.data(), data, words.size() * 8);
  return words;
}

static std::string makeBits(Descriptor &d, void *const *buffers) {
  int64_t algorithm = d.next();
  if (!d.isValid() || d.inputs.size() != 1 || d.outputs.size() != 2)
    return "the descriptor is malformed";
  const BufferType &type = d.outputs[1];
  int64_t width = getElementBytes(type.dtype);
  bool isThreefry = algorithm == 1;
  std::vector<uint64_t> state = readState(d.inputs[0], buffers[0]);
  if (!isInteger(type.dtype) || !isInteger(d.inputs[0].dtype) ||
      getElementBytes(d.inputs[0].dtype) < 4)
    return "random bits and their state must be integers";
  if (state.size() < 2 || state.size() > (isThreefry ? 2u : 3u) ||
      d.outputs[0].getBytes() != d.inputs[0].getBytes())
    return "a random state of " + std::to_string(d.inputs[0].getBytes()) +
           " bytes: must be 2 (or, for PHILOX, 3) words of 64 bits";
  auto emit = [&](int64_t i, uint64_t bits) {
    std::memcpy(static_cast<char *>(buffers[2]) + i * width, &bits, width);
  };
  if (isThreefry && width == 8) {
    for (int64_t i = 0; i < type.getCount(); ++i)
      emit(i, threefry(state[1]++, state[0]));
  } else if (isThreefry) {
    makeThreefry32(state[0], state[1], type.shape, emit);
  } else {
    // A state of two words stands for the counter (state[1], state[0]).
    bool isLong = state.size() == 3;
    std::array<uint64_t, 2> counter = {state[1], isLong ? state[2] : state[0]};
    makePhilox(state[0], counter, type.getCount(), width == 8, emit);
    state[1] = counter[0];
    if (isLong)
      state[2] = counter[1];
  }
  std::memcpy(buffers[1], state.data(), state.size() * 8);
  return "";
}

PARTITA_KERNEL(rng_bit_generator, makeBits)
