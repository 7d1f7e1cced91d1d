// Conversions between element types.

#include "ScalarEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;

namespace partita {

/// Saturating, NaN to zero, as XLA does.
Value ScalarEmitter::emitFloatToInteger(Value x, Type to, bool toUnsigned) {
  unsigned width = to.getIntOrFloatBitWidth();
  double high = std::ldexp(1.0, toUnsigned ? width : width - 1);
  Value low = floatConstant(toUnsigned ? 0 : -high, x.getType());
  Value limit = floatConstant(high, x.getType());
  Value tooLarge = make<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, limit);
  Value tooSmall = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, low);
  Value isNaN = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  Value outside =
      make<arith::OrIOp>(make<arith::OrIOp>(tooLarge, tooSmall), isNaN);
  Value safe = select(outside, floatConstant(0, x.getType()), x);
  Value value = toUnsigned ? make<arith::FPToUIOp>(to, safe)
                           : make<arith::FPToSIOp>(to, safe);
  APInt most =
      toUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt least =
      toUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return select(tooLarge, bitsConstant(most, to),
                select(tooSmall, bitsConstant(least, to), value));
}

Value ScalarEmitter::resizeFloat(Value x, Type to) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (x.getType() == to)
    return x;
  if (from == width) // bf16 and f16: through f32
    return make<arith::TruncFOp>(to, make<arith::ExtFOp>(b.getF32Type(), x));
  return from < width ? make<arith::ExtFOp>(to, x)
                      : make<arith::TruncFOp>(to, x);
}

/// A real number as one of `to`, a compute type; `toType` tells signedness.
Value ScalarEmitter::convertReal(Value x, Type to, Type toType) {
  bool fromFloat = isa<FloatType>(x.getType());
  bool fromUnsigned = isUnsigned();
  if (fromFloat && isa<FloatType>(to))
    return resizeFloat(x, to);
  if (toType.isInteger(1)) {
    if (x.getType().isInteger(1))
      return x;
    return fromFloat
               ? cmpf(arith::CmpFPredicate::UNE, x,
                      floatConstant(0, x.getType()))
               : cmpi(arith::CmpIPredicate::ne, x, intConstant(0, x.getType()));
  }
  unsigned from = x.getType().getIntOrFloatBitWidth();
  if (fromFloat) {
    // Narrow floats go through f32.
    if (from < 32)
      x = make<arith::ExtFOp>(b.getF32Type(), x);
    return emitFloatToInteger(x, to, toType.isUnsignedInteger());
  }
  if (isa<FloatType>(to))
    return fromUnsigned ? make<arith::UIToFPOp>(to, x)
                        : make<arith::SIToFPOp>(to, x);
  unsigned width = to.getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (from > width)
    return make<arith::TruncIOp>(to, x);
  return fromUnsigned ? make<arith::ExtUIOp>(to, x)
                      : make<arith::ExtSIOp>(to, x);
}

Value ScalarEmitter::emitConvert() {
  Value x = lhs();
  auto fromComplex = dyn_cast<ComplexType>(inType);
  auto toComplex = dyn_cast<ComplexType>(outType);
  if (!fromComplex && !toComplex)
    return convertReal(x, getComputeType(outType), outType);
  Type part = fromComplex ? fromComplex.getElementType() : Type();
  Value real = fromComplex ? make<complex::ReOp>(part, x) : x;
  if (!toComplex)
    return convertReal(real, getComputeType(outType), outType);
  Type toPart = toComplex.getElementType();
  real = convertReal(real, toPart, toPart);
  Value imaginary = fromComplex
                        ? resizeFloat(make<complex::ImOp>(part, x), toPart)
                        : floatConstant(0, toPart);
  return make<complex::CreateOp>(toComplex, real, imaginary);
}

} // namespace partita
