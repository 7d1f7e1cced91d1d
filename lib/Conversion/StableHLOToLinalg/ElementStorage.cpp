// Narrow floats as bit patterns: decoding is exact; encoding rounds to nearest,
// ties to even, in integer arithmetic.

#include "ElementStorage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;

namespace partita {

bool isNarrowFloat(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() < 16;
}

bool isNarrowInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 8;
}

Type getStorageType(Type element) {
  MLIRContext *context = element.getContext();
  if (isNarrowFloat(element) || isNarrowInteger(element))
    return IntegerType::get(context, 8);
  auto integer = dyn_cast<IntegerType>(element);
  return integer && !integer.isSignless()
             ? IntegerType::get(context, integer.getWidth())
             : element;
}

Type getComputeType(Type element) {
  if (isNarrowFloat(element))
    return Float32Type::get(element.getContext());
  if (isNarrowInteger(element))
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return getStorageType(element);
}

namespace {

/// Layout of a narrow float format: sign, exponent, mantissa.
struct Format {
  explicit Format(FloatType type) : semantics(type.getFloatSemantics()) {
    width = type.getWidth();
    mantissa = APFloat::semanticsPrecision(semantics) - 1;
    least = APFloat::semanticsMinExponent(semantics);
    hasSign = APFloat::semanticsHasSignedRepr(semantics);
    exponent = width - mantissa - (hasSign ? 1 : 0);
    // Without zeros and subnormals the least exponent has the pattern 0.
    bias = 1 - least;
    hasZero = APFloat::semanticsHasZero(semantics);
    if (!hasZero)
      bias = -least;
    largest = getPattern(APFloat::getLargest(semantics));
    APFloat wide(APFloat::getNaN(APFloat::IEEEsingle()));
    bool loses;
    wide.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    nan = getPattern(wide);
    APFloat large(3e38f);
    large.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    overflow = getPattern(large);
    hasInfinity = APFloat::semanticsHasInf(semantics);
    hasNaN = APFloat::semanticsHasNaN(semantics);
    hasMinusZero = hasSign && !isUnsignedZero();
  }

  static uint64_t getPattern(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
  /// NaN lies where minus zero would.
  bool isUnsignedZero() const {
    return hasZero && APFloat::getZero(semantics, /*Negative=*/true)
                          .bitcastToAPInt()
                          .isZero();
  }

  const llvm::fltSemantics &semantics;
  unsigned width, mantissa, exponent;
  int least, bias;
  bool hasSign, hasZero, hasInfinity, hasNaN, hasMinusZero;
  uint64_t largest, nan, overflow;
};

/// Arithmetic on i32 and f32 with constants at hand.
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc)
      : b(b), loc(loc), i32(b.getI32Type()), f32(b.getF32Type()) {}

  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getI32IntegerAttr(int32_t(value)));
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  }
  template <typename Op> Value make(Value a, Value c) {
    return Op::create(b, loc, a, c);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value c) {
    return arith::CmpIOp::create(b, loc, predicate, a, c);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, i32, x); }
  Value value(Value x) { return arith::BitcastOp::create(b, loc, f32, x); }

  OpBuilder &b;
  Location loc;
  Type i32, f32;
};

} // namespace

static Value decodeFloat(OpBuilder &b, Location loc, Value stored,
                         const Format &f) {
  Emitter e(b, loc);
  Value pattern = arith::ExtUIOp::create(b, loc, e.i32, stored);
  uint64_t signBit = f.hasSign ? uint64_t(1) << (f.width - 1) : 0;
  Value magnitude = e.make<arith::AndIOp>(
      pattern, e.integer(llvm::maskTrailingOnes<uint64_t>(f.width) & ~signBit));
  // The fields moved to their places in an f32, then scaled by the bias. f32
  // multiplication is exact here and makes subnormals right as well.
  Value shifted =
      e.make<arith::ShLIOp>(magnitude, e.integer(23 - int(f.mantissa)));
  Value result;
  if (f.hasZero) {
    // Exponent e becomes e in f32, that is 2^(e - 127): too small to be normal
    // where e = 0, so the mantissa is taken as an integer instead.
    Value isSubnormal = e.compare(arith::CmpIPredicate::ult, magnitude,
                                  e.integer(int64_t(1) << f.mantissa));
    Value rebased =
        e.make<arith::AddIOp>(shifted, e.integer(int64_t(127 - f.bias) << 23));
    Value small = e.make<arith::MulFOp>(
        arith::UIToFPOp::create(b, loc, e.f32, magnitude),
        e.number(std::ldexp(1.0, f.least - int(f.mantissa))));
    result = e.select(isSubnormal, small, e.value(rebased));
  } else {
    // 2^-127, the least value of such a format, is subnormal in f32.
    Value isLeast =
        e.compare(arith::CmpIPredicate::eq, magnitude, e.integer(0));
    Value rebased =
        e.make<arith::AddIOp>(shifted, e.integer(int64_t(127 - f.bias) << 23));
    result =
        e.select(isLeast, e.number(std::ldexp(1.0, f.least)), e.value(rebased));
  }
  if (f.hasSign) {
    Value sign = e.make<arith::ShLIOp>(
        e.make<arith::AndIOp>(pattern, e.integer(int64_t(signBit))),
        e.integer(32 - int(f.width)));
    result = e.value(e.make<arith::OrIOp>(e.bits(result), sign));
  }
  Value nan = e.value(e.integer(0x7fc00000));
  if (f.hasSign && !f.hasMinusZero && f.hasNaN)
    return e.select(e.compare(arith::CmpIPredicate::eq, pattern,
                              e.integer(int64_t(signBit))),
                    nan, result);
  if (f.hasInfinity) {
    int64_t infinity = int64_t(f.largest) + 1;
    Value isInfinite =
        e.compare(arith::CmpIPredicate::eq, magnitude, e.integer(infinity));
    Value signedInfinity =
        math::CopySignOp::create(b, loc, e.number(INFINITY), result);
    result = e.select(isInfinite, signedInfinity, result);
    return e.select(
        e.compare(arith::CmpIPredicate::ugt, magnitude, e.integer(infinity)),
        nan, result);
  }
  if (!f.hasNaN)
    return result;
  return e.select(e.compare(arith::CmpIPredicate::ugt, magnitude,
                            e.integer(int64_t(f.largest))),
                  nan, result);
}

/// Magnitude of |x| in the format, rounded, not yet checked for overflow.
static Value roundMagnitude(Emitter &e, Value absolute, const Format &f) {
  int drop = 23 - int(f.mantissa);
  Value bits = e.bits(absolute);
  Value rebased =
      e.make<arith::SubIOp>(bits, e.integer(int64_t(127 - f.bias) << 23));
  // A format without a mantissa has no even neighbour: a tie goes up.
  Value odd =
      f.mantissa == 0
          ? e.integer(1)
          : e.make<arith::AndIOp>(
                e.make<arith::ShRUIOp>(rebased, e.integer(drop)), e.integer(1));
  Value half =
      e.make<arith::AddIOp>(rebased, e.integer((int64_t(1) << (drop - 1)) - 1));
  Value normal =
      e.make<arith::ShRUIOp>(e.make<arith::AddIOp>(half, odd), e.integer(drop));
  if (!f.hasZero) // below the least value all round to it
    return e.select(e.compare(arith::CmpIPredicate::slt, rebased, e.integer(0)),
                    e.integer(0), normal);
  Value units = math::RoundEvenOp::create(
      e.b, e.loc,
      e.make<arith::MulFOp>(
          absolute, e.number(std::ldexp(1.0, int(f.mantissa) - f.least))));
  Value isSmall =
      arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OLT, absolute,
                            e.number(std::ldexp(1.0, f.least)));
  Value safe = e.select(isSmall, units, e.number(0));
  Value small = arith::FPToUIOp::create(e.b, e.loc, e.i32, safe);
  return e.select(isSmall, small, normal);
}

static Value encodeFloat(OpBuilder &b, Location loc, Value x, const Format &f) {
  Emitter e(b, loc);
  Value absolute = math::AbsFOp::create(b, loc, x);
  Value magnitude = roundMagnitude(e, absolute, f);
  magnitude = e.select(e.compare(arith::CmpIPredicate::ugt, magnitude,
                                 e.integer(int64_t(f.largest))),
                       e.integer(int64_t(f.overflow)), magnitude);
  Value result = magnitude;
  if (f.hasSign) {
    Value sign = e.make<arith::AndIOp>(
        e.make<arith::ShRUIOp>(e.bits(x), e.integer(32 - int(f.width))),
        e.integer(int64_t(1) << (f.width - 1)));
    result = e.make<arith::OrIOp>(magnitude, sign);
    if (!f.hasMinusZero)
      result =
          e.select(e.compare(arith::CmpIPredicate::eq, magnitude, e.integer(0)),
                   e.integer(0), result);
  }
  // Overflow and NaN are one pattern, without a sign, where NaN replaces -0.
  if (f.hasSign && !f.hasMinusZero)
    result = e.select(e.compare(arith::CmpIPredicate::ugt, magnitude,
                                e.integer(int64_t(f.largest))),
                      e.integer(int64_t(f.nan)), result);
  // Without a sign, negative numbers have no value either.
  Value isNaN =
      f.hasSign ? arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x)
                : arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULT, x,
                                        e.number(0));
  result = e.select(isNaN, e.integer(int64_t(f.nan)), result);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), result);
}

Value decodeElement(OpBuilder &b, Location loc, Value stored, Type element) {
  if (isNarrowFloat(element))
    return decodeFloat(b, loc, stored, Format(cast<FloatType>(element)));
  if (isNarrowInteger(element))
    return arith::TruncIOp::create(b, loc, getComputeType(element), stored);
  return stored;
}

Value encodeElement(OpBuilder &b, Location loc, Value computed, Type element) {
  if (isNarrowFloat(element))
    return encodeFloat(b, loc, computed, Format(cast<FloatType>(element)));
  if (!isNarrowInteger(element))
    return computed;
  Type byte = b.getI8Type();
  return element.isUnsignedInteger()
             ? Value(arith::ExtUIOp::create(b, loc, byte, computed))
             : Value(arith::ExtSIOp::create(b, loc, byte, computed));
}

DenseElementsAttr getStoredElements(DenseElementsAttr value) {
  Type element = value.getElementType(), stored = getStorageType(element);
  if (stored == element)
    return value;
  if (isNarrowFloat(element))
    return value.mapValues(stored, [](const APFloat &number) {
      return number.bitcastToAPInt().zext(8);
    });
  bool isUnsigned = element.isUnsignedInteger();
  unsigned width = stored.getIntOrFloatBitWidth();
  return value.mapValues(stored, [=](const APInt &number) {
    return isUnsigned ? number.zextOrTrunc(width) : number.sextOrTrunc(width);
  });
}

Value makeZero(OpBuilder &b, Location loc, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return arith::ConstantOp::create(b, loc,
                                     cast<TypedAttr>(b.getZeroAttr(type)));
  Attribute zero = b.getZeroAttr(complex.getElementType());
  return complex::ConstantOp::create(b, loc, type,
                                     b.getArrayAttr({zero, zero}));
}

} // namespace partita
