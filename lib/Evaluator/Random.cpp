// rng_bit_generator with the bits that XLA makes: THREE_FRY, PHILOX, and PHILOX
// for DEFAULT. rng is a fixed sequence of the evaluator's own.
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Support/RandomBits.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace partita;

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
  std::vector<uint64_t> words(count);
  auto emit = [&](int64_t i, uint64_t word) { words[i] = word; };
  if (isThreefry && bits == 64) {
    makeThreefry64(state[0], state[1], count, emit);
  } else if (isThreefry) {
    makeThreefry32(state[0], state[1], type.getShape().vec(), emit);
  } else {
    // A state of two words stands for the counter (state[1], state[0]).
    bool isLong = state.size() == 3;
    std::array<uint64_t, 2> counter = {state[1], isLong ? state[2] : state[0]};
    makePhilox(state[0], counter, count, bits == 64, emit);
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

static LogicalResult evaluateRng(KernelCall &call) {
  auto op = cast<stablehlo::RngOp>(call.op);
  RankedTensorType type = call.getResultType();
  Type element = type.getElementType();
  Tensor result = Tensor::allocate(type, call.isField());
  double a = call.operands[0].getAsDouble(0, call.field);
  double b = call.operands[1].getAsDouble(0, call.field);
  bool isNormal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  uint64_t key = getSequenceKey(call.options.seed);
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    double value = makeRandomNumber(key, i, isNormal, a, b);
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
