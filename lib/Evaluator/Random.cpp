// rng_bit_generator with the bits that XLA makes: THREE_FRY, PHILOX, and PHILOX
// for DEFAULT. rng is a fixed sequence of the evaluator's own.
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace partita;

static uint32_t rotate(uint32_t x, int distance) {
  return (x << distance) | (x >> (32 - distance));
}

/// Threefry-2x32 with 20 rounds (Salmon et al., SC 2011).
static uint64_t threefry(uint64_t counter, uint64_t key) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {uint32_t(key), uint32_t(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x = uint32_t(counter) + keys[0],
           y = uint32_t(counter >> 32) + keys[1];
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
    x = {uint32_t(b >> 32) ^ x[1] ^ k0, uint32_t(b),
         uint32_t(a >> 32) ^ x[3] ^ k1, uint32_t(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

/// Words of 32 bits in row-major order of the shape. A counter gives two words,
/// which are neighbours along one dimension: the first even one, else the
/// longest.
static std::vector<uint64_t> makeThreefry32(uint64_t key, uint64_t &state,
                                            ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {uint32_t(threefry(state++, key))};
  auto isEven = [](int64_t size) { return size % 2 == 0; };
  auto *dim = llvm::find_if(shape, isEven);
  if (dim == shape.end())
    dim = std::max_element(shape.begin(), shape.end());
  size_t split = dim - shape.begin();
  SmallVector<int64_t> half(shape);
  half[split] = (half[split] + 1) / 2;
  SmallVector<int64_t> strides = getStrides(half);
  std::vector<uint64_t> words;
  words.reserve(getVolume(shape));
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    uint64_t counter = state;
    for (size_t d = 0; d < shape.size(); ++d)
      counter += (d == split ? index[d] / 2 : index[d]) * strides[d];
    uint64_t pair = threefry(counter, key);
    words.push_back(index[split] % 2 ? pair >> 32 : uint32_t(pair));
  });
  state += getVolume(half);
  return words;
}

static std::vector<uint64_t> makeThreefry64(uint64_t key, uint64_t &state,
                                            int64_t count) {
  std::vector<uint64_t> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(threefry(state + i, key));
  state += count;
  return words;
}

/// `state` is a counter of 128 bits, low word first.
static std::vector<uint64_t> makePhilox(uint64_t key,
                                        std::array<uint64_t, 2> &state,
                                        int64_t count, bool isWide) {
  std::vector<uint64_t> words;
  int64_t perBlock = isWide ? 2 : 4, blocks = (count + perBlock - 1) / perBlock;
  for (int64_t i = 0; i < blocks; ++i) {
    auto bits = philox({uint32_t(state[0]), uint32_t(state[0] >> 32),
                        uint32_t(state[1]), uint32_t(state[1] >> 32)},
                       key);
    if (++state[0] == 0)
      ++state[1];
    for (int j = 0; j < 4 && isWide; j += 2)
      words.push_back(bits[j] | uint64_t(bits[j + 1]) << 32);
    for (int j = 0; j < 4 && !isWide; ++j)
      words.push_back(bits[j]);
  }
  words.resize(count);
  return words;
}

/// The state as words of 64 bits; it may be typed ui32 or ui64.
static SmallVector<uint64_t> readState(const Tensor &tensor) {
  SmallVector<uint64_t> words;
  bool isNarrow = getIntegerBits(tensor.getElementType()) == 32;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    uint64_t word = uint64_t(tensor.getAsInt(i));
    if (!isNarrow)
      words.push_back(word);
    else if (i % 2)
      words.back() |= word << 32;
    else
      words.push_back(uint32_t(word));
  }
  return words;
}

static Tensor writeState(ArrayRef<uint64_t> words, RankedTensorType type) {
  Tensor tensor = Tensor::allocate(type, false);
  bool isNarrow = getIntegerBits(type.getElementType()) == 32;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    uint64_t word = isNarrow ? words[i / 2] >> (i % 2 * 32) : words[i];
    tensor.mutableCells<int64_t>()[i] =
        wrapToType(int64_t(word), type.getElementType());
  }
  return tensor;
}

static LogicalResult evaluateRngBitGenerator(KernelCall &call) {
  auto op = cast<stablehlo::RngBitGeneratorOp>(call.op);
  RankedTensorType stateType = call.getResultType(0),
                   type = call.getResultType(1);
  auto refuse = [&](const Twine &what) -> LogicalResult {
    InFlightDiagnostic diag = call.op->emitError() << what;
    diag.attachNote()
        << "fix: use integer bits and a state of 2 (or, for PHILOX, 3) "
           "words of 64 bits";
    return failure();
  };
  if (!isa<IntegerType>(type.getElementType()) ||
      !isa<IntegerType>(stateType.getElementType()))
    return refuse("the evaluator makes random bits as integers only");
  SmallVector<uint64_t> state = readState(call.operands[0]);
  bool isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  if (state.size() < 2 || state.size() > (isThreefry ? 2u : 3u))
    return refuse("the evaluator does not know a random state of this size");
  unsigned bits = getIntegerBits(type.getElementType());
  int64_t count = type.getNumElements();
  std::vector<uint64_t> words;
  if (isThreefry) {
    words = bits == 64 ? makeThreefry64(state[0], state[1], count)
                       : makeThreefry32(state[0], state[1], type.getShape());
  } else {
    // A state of two words stands for the counter (state[1], state[0]).
    bool isLong = state.size() == 3;
    std::array<uint64_t, 2> counter = {state[1], isLong ? state[2] : state[0]};
    words = makePhilox(state[0], counter, count, bits == 64);
    state[1] = counter[0];
    if (isLong)
      state[2] = counter[1];
  }
  Tensor output = Tensor::allocate(type, call.isField());
  for (int64_t i = 0; i < count; ++i)
    output.mutableCells<int64_t>()[i] =
        wrapToType(int64_t(words[i]), type.getElementType());
  call.results.push_back(writeState(state, stateType));
  call.results.push_back(std::move(output));
  return success();
}

/// A number in [0, 1) for an element of the only sequence there is.
static double uniform(uint64_t key, int64_t index) {
  return double(threefry(uint64_t(index), key) >> 11) * 0x1p-53;
}

static LogicalResult evaluateRng(KernelCall &call) {
  auto op = cast<stablehlo::RngOp>(call.op);
  RankedTensorType type = call.getResultType();
  Type element = type.getElementType();
  Tensor result = Tensor::allocate(type, call.isField());
  double a = call.operands[0].getAsDouble(0, call.field);
  double b = call.operands[1].getAsDouble(0, call.field);
  bool isNormal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  uint64_t key = call.options.seed ^ 0x243f6a8885a308d3ull;
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    double u = uniform(key, 2 * i), value = a + (b - a) * u;
    if (isNormal)
      value = a + b * std::sqrt(-2 * std::log1p(-u)) *
                      std::cos(6.283185307179586 * uniform(key, 2 * i + 1));
    switch (result.getKind()) {
    case CellKind::Float32:
      result.mutableCells<float>()[i] =
          float(roundToType(value, cast<FloatType>(element)));
      break;
    case CellKind::Float64:
      result.mutableCells<double>()[i] = value;
      break;
    case CellKind::Field:
      result.mutableCells<Field::Word>()[i] =
          call.field->hash(call.field->functionKey("rng"), i);
      break;
    default:
      result.mutableCells<int64_t>()[i] =
          wrapToType(int64_t(std::floor(value)), element);
    }
  }
  call.results.push_back(std::move(result));
  return success();
}

void partita::registerRandomKernels(KernelTable &table) {
  table.add("stablehlo.rng_bit_generator", evaluateRngBitGenerator);
  table.add("stablehlo.rng", evaluateRng);
}
