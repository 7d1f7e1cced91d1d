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
  APInt number = *attribute.value_begin<APInt>();
  bool isUnsigned = attribute.getElementType().isUnsignedInteger();
  // Leaves room to add and subtract two of them.
  if (isUnsigned ? number.getActiveBits() > 61
                 : number.getSignificantBits() > 62)
    return std::nullopt;
  return isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue();
}

/// True if a counter of `type` holds `value`: loops that wrap round count no
/// further than they can represent.
bool fits(Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer)
    return false;
  if (integer.isUnsigned())
    return value >= 0 && llvm::isUIntN(integer.getWidth(), value);
  return llvm::isIntN(integer.getWidth(), value);
}

/// The constant that `value` is in the condition: itself one, or a carried
/// value that the body returns as it was and that starts as one.
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

std::optional<CountedLoop> matchCountedLoop(Operation *op) {
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
  bool countsUp = *step > 0;
  int64_t distance = countsUp ? *bound - *start : *start - *bound;
  Direction direction = compare.getComparisonDirection();
  if (direction == (countsUp ? Direction::LE : Direction::GE))
    ++distance;
  else if (direction != (countsUp ? Direction::LT : Direction::GT))
    return std::nullopt;
  int64_t stride = std::abs(*step);
  int64_t trips = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  if (!fits(counter.getType(), *start + trips * *step))
    return std::nullopt;
  return CountedLoop{trips, *bound, *step};
}

std::optional<int64_t> getStaticTripCount(Operation *loop) {
  if (std::optional<CountedLoop> counted = matchCountedLoop(loop))
    return counted->trips;
  return std::nullopt;
}

} // namespace partita
