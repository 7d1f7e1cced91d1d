// Real floats.

#include "ScalarEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace partita {

Value ScalarEmitter::emitSign() {
  Value x = lhs();
  Value one = floatConstant(1, x.getType()),
        zero = floatConstant(0, x.getType());
  // Zeros and NaN stay what they are.
  Value isNonZero = cmpf(arith::CmpFPredicate::ONE, x, zero);
  return select(isNonZero, make<math::CopySignOp>(one, x), x);
}

Value ScalarEmitter::emitUnaryFloat(StringRef name) {
  Value x = lhs();
  Type type = x.getType();
  if (name == "logistic") {
    Value one = floatConstant(1, type);
    Value e = make<math::ExpOp>(make<arith::NegFOp>(x));
    return make<arith::DivFOp>(one, make<arith::AddFOp>(one, e));
  }
  if (name == "square")
    return make<arith::MulFOp>(x, x);
  if (name == "sign")
    return emitSign();
  if (name == "real" || name == "conj")
    return x;
  if (name == "imag")
    return floatConstant(0, type);
  using Make = Value (*)(OpBuilder &, Location, Value);
  Make function =
      llvm::StringSwitch<Make>(name)
#define UNARY(NAME, OP)                                                        \
  .Case(NAME, [](OpBuilder &b, Location loc, Value x) -> Value {               \
    return OP::create(b, loc, x);                                              \
  })
          UNARY("abs", math::AbsFOp) UNARY("negate", arith::NegFOp)
              UNARY("ceil", math::CeilOp) UNARY("floor", math::FloorOp) UNARY(
                  "round_nearest_afz",
                  math::RoundOp) UNARY("round_nearest_even", math::RoundEvenOp)
                  UNARY("cbrt", math::CbrtOp) UNARY(
                      "cosine", math::CosOp) UNARY("exponential", math::ExpOp)
                      UNARY("exponential_minus_one", math::ExpM1Op) UNARY(
                          "log", math::LogOp) UNARY("log_plus_one",
                                                    math::Log1pOp)
                          UNARY("rsqrt", math::RsqrtOp) UNARY(
                              "sine", math::SinOp) UNARY("sqrt", math::SqrtOp)
                              UNARY("tan", math::TanOp) UNARY(
                                  "tanh", math::TanhOp) UNARY("erf",
                                                              math::ErfOp)
                                  UNARY("erfc", math::ErfcOp) UNARY(
                                      "acos", math::AcosOp) UNARY("acosh",
                                                                  math::AcoshOp)
                                      UNARY("asin", math::AsinOp) UNARY(
                                          "asinh", math::AsinhOp)
                                          UNARY("atan", math::AtanOp) UNARY(
                                              "atanh", math::AtanhOp)
                                              UNARY("cosh", math::CoshOp)
                                                  UNARY("sinh", math::SinhOp)
#undef UNARY
                                                      .Default(nullptr);
  return function ? function(b, loc, x) : Value();
}

Value ScalarEmitter::emitBinaryFloat(StringRef name) {
  return llvm::StringSwitch<llvm::function_ref<Value()>>(name)
      .Case("add", [&] { return make<arith::AddFOp>(lhs(), rhs()); })
      .Case("subtract", [&] { return make<arith::SubFOp>(lhs(), rhs()); })
      .Case("multiply", [&] { return make<arith::MulFOp>(lhs(), rhs()); })
      .Case("divide", [&] { return make<arith::DivFOp>(lhs(), rhs()); })
      .Case("maximum", [&] { return make<arith::MaximumFOp>(lhs(), rhs()); })
      .Case("minimum", [&] { return make<arith::MinimumFOp>(lhs(), rhs()); })
      .Case("remainder", [&] { return make<arith::RemFOp>(lhs(), rhs()); })
      .Case("power", [&] { return make<math::PowFOp>(lhs(), rhs()); })
      .Case("atan2", [&] { return make<math::Atan2Op>(lhs(), rhs()); })
      .Case("next_after", [&] { return emitNextAfter(); })
      .Default([] { return Value(); })();
}

/// i1 of a float; null if the name is no such function.
Value ScalarEmitter::emitPredicate(StringRef name) {
  Value x = lhs();
  Value infinity =
      floatConstant(std::numeric_limits<double>::infinity(), x.getType());
  if (name == "is_finite")
    return cmpf(arith::CmpFPredicate::OLT, make<math::AbsFOp>(x), infinity);
  if (name == "is_inf")
    return cmpf(arith::CmpFPredicate::OEQ, make<math::AbsFOp>(x), infinity);
  if (name == "is_pos_inf")
    return cmpf(arith::CmpFPredicate::OEQ, x, infinity);
  if (name == "is_neg_inf")
    return cmpf(arith::CmpFPredicate::OEQ, make<arith::NegFOp>(x), infinity);
  return Value();
}

/// Rounds to a format with fewer bits of exponent and mantissa, ties to even,
/// and back. In the integer of the bits: rounding carries into the exponent.
Value ScalarEmitter::emitReducePrecision(unsigned exponentBits,
                                         unsigned mantissaBits) {
  Value x = lhs();
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth();
  unsigned ownMantissa = type.getFPMantissaWidth() - 1;
  unsigned ownExponent = width - 1 - ownMantissa;
  Type integer = b.getIntegerType(width);
  auto bits = [&](uint64_t value) {
    return bitsConstant(APInt(width, value), integer);
  };
  Value word = make<arith::BitcastOp>(integer, x);
  Value result = word;
  if (mantissaBits < ownMantissa) {
    unsigned drop = ownMantissa - mantissaBits;
    Value odd =
        make<arith::AndIOp>(make<arith::ShRUIOp>(word, bits(drop)), bits(1));
    Value bias =
        make<arith::AddIOp>(odd, bits((uint64_t(1) << (drop - 1)) - 1));
    result = make<arith::AndIOp>(
        make<arith::AddIOp>(word, bias),
        bitsConstant(APInt::getHighBitsSet(width, width - drop), integer));
  }
  if (exponentBits < ownExponent) {
    uint64_t ownBias = (uint64_t(1) << (ownExponent - 1)) - 1;
    uint64_t bias = (uint64_t(1) << (exponentBits - 1)) - 1;
    APInt sign = APInt::getSignMask(width);
    Value magnitude = make<arith::AndIOp>(result, bitsConstant(~sign, integer));
    Value signBits = make<arith::AndIOp>(word, bitsConstant(sign, integer));
    // Beyond the largest exponent: infinity; below the least: zero.
    uint64_t infinity = ((uint64_t(1) << ownExponent) - 1) << ownMantissa;
    Value isLarge = cmpi(arith::CmpIPredicate::uge, magnitude,
                         bits((ownBias + bias + 1) << ownMantissa));
    Value isSmall = cmpi(arith::CmpIPredicate::ule, magnitude,
                         bits(((ownBias - bias + 1) << ownMantissa) - 1));
    result = select(isLarge, make<arith::OrIOp>(signBits, bits(infinity)),
                    select(isSmall, signBits, result));
  }
  Value isNaN = cmpf(arith::CmpFPredicate::UNO, x, x);
  // Without a mantissa there is no NaN.
  Value nan =
      mantissaBits > 0
          ? x
          : make<math::CopySignOp>(
                floatConstant(std::numeric_limits<double>::infinity(), type),
                x);
  return select(isNaN, nan, make<arith::BitcastOp>(type, result));
}

/// The neighbour of x in the direction of y: one step in the order of bits.
Value ScalarEmitter::emitNextAfter() {
  if (isNarrowFloat(getElementTypeOrSelf(op->getOperand(0))))
    return Value(); // a step of f32 would round back
  Value x = lhs(), y = rhs();
  auto type = cast<FloatType>(x.getType());
  Type integer = b.getIntegerType(type.getWidth());
  Value zero = floatConstant(0, type), one = intConstant(1, integer);
  Value bits = make<arith::BitcastOp>(integer, x);
  Value isUp = cmpf(arith::CmpFPredicate::OGT, y, x);
  Value isPositive = cmpf(arith::CmpFPredicate::OGT, x, zero);
  Value away = cmpi(arith::CmpIPredicate::eq, isUp, isPositive);
  Value stepped = select(away, make<arith::AddIOp>(bits, one),
                         make<arith::SubIOp>(bits, one));
  Value least =
      select(isUp, one,
             bitsConstant(APInt::getSignMask(type.getWidth()) | 1, integer));
  Value isZero = cmpf(arith::CmpFPredicate::OEQ, x, zero);
  Value next = make<arith::BitcastOp>(type, select(isZero, least, stepped));
  Value isEqual = cmpf(arith::CmpFPredicate::OEQ, x, y);
  Value isNaN = cmpf(arith::CmpFPredicate::UNO, x, y);
  Value nan = floatConstant(std::numeric_limits<double>::quiet_NaN(), type);
  return select(isNaN, nan, select(isEqual, y, next));
}

Value ScalarEmitter::emitCompareFloat(stablehlo::ComparisonDirection direction,
                                      bool totalOrder) {
  int index = static_cast<int>(direction);
  if (!totalOrder) {
    static const arith::CmpFPredicate table[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OGE, arith::CmpFPredicate::OGT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OLT};
    return cmpf(table[index], lhs(), rhs());
  }
  // Order the bit patterns: negative numbers reversed below the others.
  unsigned width = inType.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  auto key = [&](Value x) {
    Value pattern = make<arith::BitcastOp>(bits, x);
    Value mask = make<arith::ShRSIOp>(pattern, intConstant(width - 1, bits));
    Value magnitude = make<arith::ShRUIOp>(mask, intConstant(1, bits));
    return make<arith::XOrIOp>(pattern, magnitude);
  };
  static const arith::CmpIPredicate order[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::sge, arith::CmpIPredicate::sgt,
      arith::CmpIPredicate::sle, arith::CmpIPredicate::slt};
  return cmpi(order[index], key(lhs()), key(rhs()));
}

} // namespace partita
