// Matches bodies by their structure alone: one block, one binary op per result.

#include "ReductionKind.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partita {

using Kind = spmd::ReductionKind;

static std::optional<Kind> kindOf(Operation *op) {
  bool isBoolean =
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([&](stablehlo::AddOp) { return isBoolean ? Kind::Or : Kind::Add; })
      .Case([&](stablehlo::MulOp) { return isBoolean ? Kind::And : Kind::Mul; })
      .Case([&](stablehlo::MaxOp) { return isBoolean ? Kind::Or : Kind::Max; })
      .Case([&](stablehlo::MinOp) { return isBoolean ? Kind::And : Kind::Min; })
      .Case([](stablehlo::AndOp) { return Kind::And; })
      .Case([](stablehlo::OrOp) { return Kind::Or; })
      .Case([](stablehlo::XorOp) { return Kind::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Kind> matchReductionKind(Region &body) {
  if (!body.hasOneBlock() || body.front().empty())
    return std::nullopt;
  Block &block = body.front();
  Operation *terminator = &block.back();
  unsigned count = terminator->getNumOperands();
  if (count == 0 || block.getNumArguments() != 2 * count)
    return std::nullopt;
  std::optional<Kind> common;
  for (unsigned i = 0; i < count; ++i) {
    Operation *combine = terminator->getOperand(i).getDefiningOp();
    if (!combine || combine->getBlock() != &block ||
        combine->getNumOperands() != 2 || combine->getNumResults() != 1)
      return std::nullopt;
    Value a = block.getArgument(i), b = block.getArgument(count + i);
    Value lhs = combine->getOperand(0), rhs = combine->getOperand(1);
    if (!(lhs == a && rhs == b) && !(lhs == b && rhs == a))
      return std::nullopt;
    std::optional<Kind> kind = kindOf(combine);
    if (!kind || (common && kind != common))
      return std::nullopt;
    common = kind;
  }
  return common;
}

static bool isNeutral(const APFloat &value, Kind kind) {
  switch (kind) {
  case Kind::Add:
    return value.isZero();
  case Kind::Mul:
    return value.isExactlyValue(1.0);
  case Kind::Max:
    return value.isInfinity() && value.isNegative();
  case Kind::Min:
    return value.isInfinity() && !value.isNegative();
  default:
    return false;
  }
}

static bool isNeutral(const APInt &value, Kind kind, bool isUnsigned) {
  switch (kind) {
  case Kind::Add:
  case Kind::Or:
  case Kind::Xor:
    return value.isZero();
  case Kind::Mul:
    return value.isOne();
  case Kind::And:
    return value.isAllOnes();
  case Kind::Max:
    return isUnsigned ? value.isMinValue() : value.isMinSignedValue();
  case Kind::Min:
    return isUnsigned ? value.isMaxValue() : value.isMaxSignedValue();
  }
  return false;
}

bool isNeutralConstant(Value value, Kind kind) {
  // JAX broadcasts scalars to scalars.
  while (auto *op = value.getDefiningOp()) {
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || !attr.isSplat())
    return false;
  Type elementType = attr.getElementType();
  if (isa<FloatType>(elementType))
    return isNeutral(attr.getSplatValue<APFloat>(), kind);
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return isNeutral(attr.getSplatValue<APInt>(), kind,
                     integer.isUnsigned() || integer.getWidth() == 1);
  return false;
}

} // namespace partita
