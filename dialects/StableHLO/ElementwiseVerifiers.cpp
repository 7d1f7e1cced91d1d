// Inference and verification of elementwise ops whose result type is not that
// of their operands. Equality of shapes is the trait's.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

/// The type of one operand.
static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult inferTypes(AbsOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(op.getOperand());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    type = type.clone(complex.getElementType());
  types.push_back(type);
  return success();
}
PARTITA_INFER_AND_VERIFY(AbsOp)

/// Real and imaginary part have the type of the part; a real operand is its
/// own real part.
static Type inferPart(Value operand) {
  RankedTensorType type = tensorOf(operand);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  return complex ? type.clone(complex.getElementType()) : type;
}

static LogicalResult inferTypes(RealOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  types.push_back(inferPart(op.getOperand()));
  return success();
}
PARTITA_INFER_AND_VERIFY(RealOp)

static LogicalResult inferTypes(ImagOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  types.push_back(inferPart(op.getOperand()));
  return success();
}
PARTITA_INFER_AND_VERIFY(ImagOp)

static LogicalResult inferTypes(IsFiniteOp::Adaptor op, const Reporter &,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(op.getX());
  types.push_back(RankedTensorType::get(
      type.getShape(), Builder(type.getContext()).getI1Type()));
  return success();
}
PARTITA_INFER_AND_VERIFY(IsFiniteOp)

static LogicalResult inferTypes(ComplexOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensorOf(op.getLhs());
  RankedTensorType rhs = tensorOf(op.getRhs());
  Type element = lhs.getElementType();
  if (element != rhs.getElementType())
    return at.fail("needs parts of one element type, but they have ", element,
                   " and ", rhs.getElementType());
  if (!element.isF32() && !element.isF64())
    return at.fail("needs parts of element type f32 or f64, not ", element);
  types.push_back(lhs.clone(ComplexType::get(element)));
  return success();
}
PARTITA_INFER_AND_VERIFY(ComplexOp)

static LogicalResult inferTypes(CompareOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  SmallVector<Type> operand;
  if (failed(inferSameType(std::nullopt, "",
                           ValueRange{op.getLhs(), op.getRhs()}, operand)))
    return checkSameShape(at, "lhs", tensorOf(op.getLhs()).getShape(), "rhs",
                          tensorOf(op.getRhs()).getShape());
  types.push_back(
      RankedTensorType::get(cast<RankedTensorType>(operand.front()).getShape(),
                            IntegerType::get(operand.front().getContext(), 1)));
  return success();
}

/// Fails unless order `type` is defined on elements of type `element`.
static LogicalResult checkComparisonType(const Reporter &at,
                                         ComparisonType type, Type element) {
  std::optional<ElementKind> kind = getElementKind(element);
  bool fits = true;
  switch (type) {
  case ComparisonType::NOTYPE:
    break;
  case ComparisonType::FLOAT:
    fits = kind == FloatElement || kind == ComplexElement;
    break;
  case ComparisonType::TOTALORDER:
    fits = kind == FloatElement;
    break;
  case ComparisonType::SIGNED:
    fits = element.isSignlessInteger();
    break;
  case ComparisonType::UNSIGNED:
    fits = kind == BooleanElement || element.isUnsignedInteger();
    break;
  }
  if (!fits && kind != QuantizedElement)
    return at.fail("cannot compare elements of type ", element, " as ",
                   stringifyEnum(type));
  return success();
}

LogicalResult CompareOp::verify() {
  Reporter at(*this);
  Type element = getLhs().getType().getElementType();
  if (element != getRhs().getType().getElementType())
    return at.fail("needs operands of one element type, but they have ",
                   element, " and ", getRhs().getType().getElementType());
  if (std::optional<ComparisonType> type = getCompareType())
    if (failed(checkComparisonType(at, *type, element)))
      return failure();
  ComparisonDirection direction = getComparisonDirection();
  if (getElementKind(element) == ComplexElement &&
      direction != ComparisonDirection::EQ &&
      direction != ComparisonDirection::NE)
    return at.fail("can compare complex elements by EQ and NE only, not ",
                   stringifyEnum(direction));
  return verifyInferred(*this);
}
PARTITA_INFER_TYPES(CompareOp)

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                      Value rhs, ComparisonDirection direction,
                      ComparisonType type) {
  ComparisonTypeAttr typeAttr;
  if (type != ComparisonType::NOTYPE)
    typeAttr = ComparisonTypeAttr::get(builder.getContext(), type);
  build(builder, state, lhs, rhs,
        ComparisonDirectionAttr::get(builder.getContext(), direction),
        typeAttr);
}

static LogicalResult inferTypes(SelectOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType onTrue = tensorOf(op.getOnTrue());
  RankedTensorType onFalse = tensorOf(op.getOnFalse());
  if (onTrue.getElementType() != onFalse.getElementType())
    return at.fail("needs branches of one element type, but they have ",
                   onTrue.getElementType(), " and ", onFalse.getElementType());
  if (failed(checkSameShape(at, "on_true", onTrue.getShape(), "on_false",
                            onFalse.getShape())))
    return failure();
  RankedTensorType pred = tensorOf(op.getPred());
  if (pred.getRank() != 0 &&
      failed(checkSameShape(at, "pred", pred.getShape(), "on_true",
                            onTrue.getShape())))
    return failure();
  return inferSameType(std::nullopt, "",
                       ValueRange{op.getOnTrue(), op.getOnFalse()}, types);
}
PARTITA_INFER_AND_VERIFY(SelectOp)

static LogicalResult inferTypes(ClampOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  for (auto [name, bound] :
       {std::pair("min", op.getMin()), std::pair("max", op.getMax())}) {
    RankedTensorType type = tensorOf(bound);
    if (type.getRank() != 0 &&
        failed(checkSameShape(at, name, type.getShape(), "operand",
                              operand.getShape())))
      return failure();
  }
  types.push_back(operand);
  return success();
}
PARTITA_INFER_AND_VERIFY(ClampOp)

LogicalResult ConvertOp::verify() {
  for (Type type : {getOperand().getType(), getResult().getType()}) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (getElementKind(element) == QuantizedElement)
      return Reporter(*this).fail("cannot convert quantized elements: ", type);
  }
  return success();
}

} // namespace partita::stablehlo
