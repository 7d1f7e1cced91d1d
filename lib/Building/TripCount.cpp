// Static trip counts of stablehlo.while, as lax.scan and fori_loop print it.

#include "partita/Building/TripCount.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partita {
namespace {

std::optional<int64_t> matchScalar(Value value) {
  DenseElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) ||
      attribute.getNumElements() != 1 ||
      !attribute.getElementType().isIntOrIndex())
    return std::nullopt;
  return (*attribute.value_begin<APInt>()).getSExtValue();
}

/// The constant that `value` is in the condition: itself one, or a carried value
/// that the body returns as it was and that starts as one.
std::optional<int64_t> matchInvariant(stablehlo::WhileOp loop, Value value) {
  if (auto constant = matchScalar(value))
    return constant;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &loop.getCond().front())
    return std::nullopt;
  unsigned index = argument.getArgNumber();
  Block &body = loop.getBody().front();
  if (body.getTerminator()->getOperand(index) != body.getArgument(index))
    return std::nullopt;
  return matchScalar(loop->getOperand(index));
}

/// The step that the body adds to carried value `index`.
std::optional<int64_t> matchStep(stablehlo::WhileOp loop, unsigned index) {
  Block &body = loop.getBody().front();
  Value next = body.getTerminator()->getOperand(index);
  Value counter = body.getArgument(index);
  if (auto add = next.getDefiningOp<stablehlo::AddOp>()) {
    if (add.getLhs() == counter)
      return matchScalar(add.getRhs());
    if (add.getRhs() == counter)
      return matchScalar(add.getLhs());
  }
  if (auto subtract = next.getDefiningOp<stablehlo::SubtractOp>())
    if (subtract.getLhs() == counter)
      if (auto step = matchScalar(subtract.getRhs()))
        return -*step;
  return std::nullopt;
}

} // namespace

std::optional<int64_t> getStaticTripCount(Operation *op) {
  using Direction = stablehlo::ComparisonDirection;
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (!loop)
    return std::nullopt;
  Block &condition = loop.getCond().front();
  auto compare = condition.getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<stablehlo::CompareOp>();
  if (!compare)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  if (!counter || counter.getOwner() != &condition)
    return std::nullopt;
  unsigned index = counter.getArgNumber();
  auto bound = matchInvariant(loop, compare.getRhs());
  auto start = matchScalar(loop->getOperand(index));
  auto step = matchStep(loop, index);
  if (!bound || !start || !step || *step == 0)
    return std::nullopt;
  int64_t distance;
  switch (compare.getComparisonDirection()) {
  case Direction::LT:
    distance = *bound - *start;
    break;
  case Direction::LE:
    distance = *bound - *start + 1;
    break;
  case Direction::GT:
    distance = *start - *bound;
    break;
  case Direction::GE:
    distance = *start - *bound + 1;
    break;
  default:
    return std::nullopt;
  }
  bool countsUp = compare.getComparisonDirection() == Direction::LT ||
                  compare.getComparisonDirection() == Direction::LE;
  int64_t stride = countsUp ? *step : -*step;
  if (stride <= 0)
    return std::nullopt;
  return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

} // namespace partita
