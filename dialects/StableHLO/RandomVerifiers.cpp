// Verification of random number generators.
#include "dialects/StableHLO/Inference.h"

using namespace mlir;

namespace partita::stablehlo {

LogicalResult RngOp::verify() {
  Reporter at(*this);
  RankedTensorType result = getType();
  Type element = result.getElementType();
  for (auto [name, bound] : {std::pair("a", getA()), std::pair("b", getB())}) {
    Type type = cast<RankedTensorType>(bound.getType()).getElementType();
    if (type != element)
      return at.fail(name, " has element type ", type, ", but the result has ",
                     element);
  }
  if (getRngDistribution() == RngDistribution::NORMAL &&
      getElementKind(element) != FloatElement)
    return at.fail("can make normally distributed floats only, not ", element);
  int64_t rank = getShape().getType().getDimSize(0);
  if (!isCompatibleSize(rank, result.getRank()))
    return at.fail("shape has ", rank, " entries, but the result has rank ",
                   result.getRank());
  if (std::optional<SmallVector<int64_t>> sizes = getConstantInts(getShape()))
    return checkSameShape(at, "shape", *sizes, "the result", result.getShape());
  return success();
}

/// Fails unless the state fits `algorithm`, which counts words of 64 bits.
static LogicalResult checkState(const Reporter &at, RngAlgorithm algorithm,
                                RankedTensorType state) {
  if (!state.getElementType().isUnsignedInteger(64) || state.getRank() != 1 ||
      !state.hasStaticShape())
    return success();
  int64_t words = state.getDimSize(0);
  if (algorithm == RngAlgorithm::THREE_FRY && words != 2)
    return at.fail("THREE_FRY takes a state of 2 words, not ", words);
  if (algorithm == RngAlgorithm::PHILOX && words != 2 && words != 3)
    return at.fail("PHILOX takes a state of 2 or 3 words, not ", words);
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  Reporter at(*this);
  RankedTensorType state = getInitialState().getType();
  RankedTensorType next = getOutputState().getType();
  if (!areCompatibleTypes(Type(state), Type(next)))
    return at.fail("has an initial state of type ", state,
                   ", but an output state of type ", next);
  if (!getOutput().getType().hasStaticShape())
    return at.fail("has an output of unknown size: ", getOutput().getType());
  return checkState(at, getRngAlgorithm(), state);
}

} // namespace partita::stablehlo
