// Conversions between element types.

#include "ScalarEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// f64 to f32 for a second rounding: what is not exact gets an odd last bit, so
/// that the two round as one.
Value ScalarEmitter::truncateToOdd(Value x) {
  Type single = b.getF32Type(), word = b.getI32Type();
  Value y = make<arith::TruncFOp>(single, x);
  Value back = make<arith::ExtFOp>(x.getType(), y);
  Value isInexact = cmpf(arith::CmpFPredicate::ONE, back, x);
  Value isPast = cmpf(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back),
                      make<math::AbsFOp>(x));
  Value bits = make<arith::BitcastOp>(word, y);
  Value below = make<arith::SubIOp>(bits, intConstant(1, word));
  Value odd =
      make<arith::OrIOp>(select(isPast, below, bits), intConstant(1, word));
  return make<arith::BitcastOp>(single, select(isInexact, odd, bits));
}

Value ScalarEmitter::resizeFloat(Value x, Type to) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (x.getType() == to)
    return x;
  if (from == width) // bf16 and f16: through f32
    return make<arith::TruncFOp>(to, make<arith::ExtFOp>(b.getF32Type(), x));
  if (from == 64 && width < 32) // which machines do not have
    x = truncateToOdd(x);
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
  // Elements that are encoded afterwards are computed in f32.
  if (x.getType().isF64() &&
      isNarrowFloat(getElementTypeOrSelf(op->getResult(0).getType())))
    return truncateToOdd(x);
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
