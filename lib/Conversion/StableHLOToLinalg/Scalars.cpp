// Elementwise ops on scalars, and bodies of reductions and kernels.

#include "LinalgEmitter.h"
#include "ScalarEmitter.h"
#include "dialects/CHLO/CHLO.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace partita {

/// The type to compute on, with the signedness of the program's.
static Type getNumberType(Type element) {
  return isNarrowFloat(element) ? getComputeType(element) : element;
}

ScalarEmitter::ScalarEmitter(OpBuilder &b, Operation *op, ValueRange stored)
    : b(b), loc(op->getLoc()), op(op) {
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), stored))
    operands.push_back(
        decodeElement(b, loc, value, getElementTypeOrSelf(operand.getType())));
  bool isSelect = op->getName().getStringRef().ends_with("select");
  inType = getNumberType(
      getElementTypeOrSelf(op->getOperand(isSelect ? 1 : 0).getType()));
  outType = getNumberType(getElementTypeOrSelf(op->getResult(0).getType()));
}

Value ScalarEmitter::emitCompare() {
  stablehlo::ComparisonDirection direction;
  bool totalOrder = false;
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
    direction = compare.getComparisonDirection();
    auto type = compare.getCompareType();
    totalOrder = type && *type == stablehlo::ComparisonType::TOTALORDER;
  } else {
    auto compareOp = cast<chlo::BroadcastCompareOp>(op);
    // Both dialects number the relations alike.
    direction = static_cast<stablehlo::ComparisonDirection>(
        compareOp.getComparisonDirection());
    auto type = compareOp.getCompareType();
    totalOrder = type && *type == chlo::ComparisonType::TOTALORDER;
  }
  if (isa<ComplexType>(inType)) {
    if (direction == stablehlo::ComparisonDirection::EQ)
      return make<complex::EqualOp>(lhs(), rhs());
    return direction == stablehlo::ComparisonDirection::NE
               ? make<complex::NotEqualOp>(lhs(), rhs())
               : Value();
  }
  return isFloat() ? emitCompareFloat(direction, totalOrder)
                   : emitCompareInteger(direction);
}

Value ScalarEmitter::emitClamp() {
  Value low = operands[0], x = operands[1], high = operands[2];
  if (isa<ComplexType>(inType))
    return Value();
  if (isFloat())
    return make<arith::MinimumFOp>(make<arith::MaximumFOp>(x, low), high);
  return isUnsigned()
             ? make<arith::MinUIOp>(make<arith::MaxUIOp>(x, low), high)
             : make<arith::MinSIOp>(make<arith::MaxSIOp>(x, low), high);
}

/// The value in the attribute, whatever the operand.
Value ScalarEmitter::emitConstantLike() {
  Type type = getComputeType(outType);
  Attribute value = op->getAttr("value");
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return isa<IntegerType>(type)
               ? bitsConstant(integer.getValue().sextOrTrunc(
                                  type.getIntOrFloatBitWidth()),
                              type)
               : Value();
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && isa<FloatType>(type)
             ? floatConstant(number.getValueAsDouble(), type)
             : Value();
}

Value ScalarEmitter::emitNamed(StringRef name) {
  if (name == "constant_like")
    return emitConstantLike();
  if (name == "convert")
    return emitConvert();
  if (name == "compare")
    return emitCompare();
  if (name == "select")
    return select(operands[0], operands[1], operands[2]);
  if (name == "clamp")
    return emitClamp();
  if (isa<ComplexType>(inType) || isa<ComplexType>(outType))
    return emitComplex(name);
  if (auto reduce = dyn_cast<stablehlo::ReducePrecisionOp>(op))
    return emitReducePrecision(reduce.getExponentBits(),
                               reduce.getMantissaBits());
  if (isFloat() && outType.isInteger(1))
    return emitPredicate(name);
  if (operands.size() == 2)
    return isFloat() ? emitBinaryFloat(name) : emitBinaryInteger(name);
  if (operands.size() != 1)
    return Value();
  return isFloat() ? emitUnaryFloat(name) : emitUnaryInteger(name);
}

Value ScalarEmitter::emit() {
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_"); // of chlo; the caller repeats elements
  Value result = emitNamed(name);
  return result
             ? encodeElement(b, loc, result,
                             getElementTypeOrSelf(op->getResult(0).getType()))
             : result;
}

Value LinalgEmitter::emitScalar(OpBuilder &builder, Operation *op,
                                ValueRange operands) {
  if (op->getNumResults() != 1 || operands.empty())
    return Value();
  return ScalarEmitter(builder, op, operands).emit();
}

/// The one element of `value`.
static Value makeScalarConstant(OpBuilder &builder, Location loc,
                                DenseElementsAttr value) {
  Attribute element = *getStoredElements(value).value_begin<Attribute>();
  Type type = getStorageType(value.getElementType());
  if (auto parts = dyn_cast<ArrayAttr>(element))
    return complex::ConstantOp::create(builder, loc, type, parts);
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(element));
}

FailureOr<SmallVector<Value>>
LinalgEmitter::emitScalarBody(OpBuilder &builder, Region &region,
                              ValueRange arguments) {
  Block &block = region.front();
  IRMapping scalars;
  scalars.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      Value scalar = scalars.lookupOrNull(operand);
      if (!scalar) // captured from above: a rank-0 tensor
        scalar = tensor::ExtractOp::create(builder, op.getLoc(), get(operand),
                                           ValueRange());
      operands.push_back(scalar);
    }
    Value result;
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      result = makeScalarConstant(builder, op.getLoc(), value);
    } else {
      result = emitScalar(builder, &op, operands);
    }
    if (!result)
      return refuse(&op);
    scalars.map(op.getResult(0), result);
  }
  SmallVector<Value> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(scalars.lookup(operand));
  return results;
}

} // namespace partita
