// rng_bit_generator with the bits that XLA makes: THREE_FRY, PHILOX, and PHILOX
// for DEFAULT. rng: the sequence of the evaluator.
#include "Convert.h"
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include "partita/Support/RandomBits.h"
#include <cstring>

using namespace partita;
using namespace partita::runtime;

/// The state as words of 64 bits; its type may be of 32 or 64 bits.
static std::vector<uint64_t> readState(const BufferType &type,
                                       const void *data) {
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
    makeThreefry64(state[0], state[1], type.getCount(), emit);
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

static std::string makeNumbers(Descriptor &d, void *const *buffers) {
  bool isNormal = d.next() != 0;
  if (!d.isValid() || d.inputs.size() != 2 || d.outputs.size() != 1 ||
      d.inputs[0].getCount() != 1 || d.inputs[1].getCount() != 1)
    return "the descriptor is malformed";
  const BufferType &type = d.outputs[0];
  double bounds[2];
  for (int i : {0, 1})
    dispatch(d.inputs[i].dtype, [&](auto t) {
      using T = decltype(t);
      if constexpr (!isComplex<T>)
        bounds[i] = double(Wide<T>(*static_cast<const T *>(buffers[i])));
    });
  bool isDone = dispatch(type.dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (isComplex<T>) {
      return false;
    } else {
      T *to = static_cast<T *>(buffers[2]);
      for (int64_t i = 0; i < type.getCount(); ++i) {
        double value = makeRandomNumber(getSequenceKey(0), i, isNormal,
                                        bounds[0], bounds[1]);
        if constexpr (isFloat<T>)
          to[i] = T(Wide<T>(value));
        else if constexpr (std::is_same_v<T, Bool>)
          to[i] = T((int64_t(std::floor(value)) & 1) != 0);
        else
          to[i] = T(int64_t(std::floor(value)));
      }
      return true;
    }
  });
  return isDone ? "" : "random numbers must be real";
}

PARTITA_KERNEL(rng, makeNumbers)
PARTITA_KERNEL(rng_bit_generator, makeBits)
