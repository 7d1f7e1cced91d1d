// Each function is straight-line code, so that loops of it vectorise. f64 has
// enough bits that nothing needs care but the range of arguments.

#include "FloatFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace partita {
namespace {

/// Arithmetic with constants at hand.
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value integer(Type type, uint64_t bits) {
    return arith::ConstantOp::create(
        b, loc,
        IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), bits,
                                     /*isSigned=*/false,
                                     /*implicitTrunc=*/true)));
  }
  Value word(uint64_t bits) { return integer(b.getI64Type(), bits); }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  Value add(Value x, Value y) { return make<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulFOp>(x, y); }
  Value fma(Value x, Value y, Value z) { return make<math::FmaOp>(x, y, z); }
  Value both(Value x, Value y) { return make<arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return make<arith::OrIOp>(x, y); }
  Value absolute(Value x) { return make<math::AbsFOp>(x); }
  Value round(Value x) { return make<math::RoundEvenOp>(x); }
  Value select(Value condition, Value yes, Value no) {
    return make<arith::SelectOp>(condition, yes, no);
  }
  Value is(arith::CmpFPredicate predicate, Value x, Value y) {
    return make<arith::CmpFOp>(predicate, x, y);
  }
  Value equal(Value x, double y) {
    return is(arith::CmpFPredicate::OEQ, x, number(y));
  }
  Value isNaN(Value x) { return is(arith::CmpFPredicate::UNO, x, x); }
  /// coefficients[0] + x (coefficients[1] + ...).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(c));
    return sum;
  }

  OpBuilder &b;
  Location loc;
};

//===----------------------------------------------------------------------===//
// sin, cos
//===----------------------------------------------------------------------===//

/// An angle as `rest` in [-pi/4, pi/4] and a number of quarter turns, i32, of
/// which the last two bits count.
struct Angle {
  Value rest, quarters;
};

/// Below 2^30 pi/2 as two f64 suffices.
Angle reduceNear(Emitter &e, Value x) {
  Value n = e.round(e.mul(x, e.number(0.63661977236758134308)));
  Value minus = e.make<arith::NegFOp>(n);
  Value rest = e.fma(minus, e.number(1.57079632679489655800), x);
  rest = e.fma(minus, e.number(6.12323399573676603587e-17), rest);
  return {rest, e.make<arith::FPToSIOp>(e.b.getI32Type(), n)};
}

/// Above, x is m 2^k for an integer m of 24 bits, and what counts of 2/pi 2^k
/// are the bits from the one of weight 2 on: all above add whole turns.
/// `bits` are those of the f32.
Angle reduceFar(Emitter &e, Value bits) {
  // 2/pi from the bit of weight 2^31 on, in words of 32 bits.
  static constexpr uint32_t digits[] = {0x00000000, 0xa2f9836e, 0x4e441529,
                                        0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                        0x3c439041, 0xfe5163ab};
  Type i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  auto shiftLeft = [&](Value x, Value by) {
    return e.make<arith::ShLIOp>(x, by);
  };
  auto shiftRight = [&](Value x, Value by) {
    return e.make<arith::ShRUIOp>(x, by);
  };
  Value mantissa = e.either(e.both(bits, e.integer(i32, 0x7fffff)),
                            e.integer(i32, 0x800000));
  Value exponent =
      e.both(shiftRight(bits, e.integer(i32, 23)), e.integer(i32, 0xff));
  // k = exponent - 150 from 7 on; the bit of weight 2 lies 30 + k bits from the
  // first one.
  Value place = e.make<arith::SubIOp>(exponent, e.integer(i32, 150 - 30));
  Value first = shiftRight(place, e.integer(i32, 5));
  // Words first .. first + 3, where first is 1 .. 4, or less for other x.
  auto pick = [&](int64_t offset) {
    Value word = e.word(digits[1 + offset]);
    for (int64_t i = 2; i <= 4; ++i) {
      size_t at = i + offset;
      Value is = e.make<arith::CmpIOp>(arith::CmpIPredicate::eq, first,
                                       e.integer(i32, i));
      word = e.select(is, e.word(digits[at]), word);
    }
    return word;
  };
  Value by = e.make<arith::ExtUIOp>(i64, e.both(place, e.integer(i32, 31)));
  Value back = e.make<arith::SubIOp>(e.word(32), by);
  Value half = e.word(32);
  Value w0 = pick(0), w1 = pick(1), w2 = pick(2), w3 = pick(3);
  // 64 bits from there, and the 32 that follow.
  Value high = e.either(shiftLeft(e.either(shiftLeft(w0, half), w1), by),
                        shiftRight(w2, back));
  Value low = e.both(e.either(shiftLeft(w2, by), shiftRight(w3, back)),
                     e.word(0xffffffff));
  Value m = e.make<arith::ExtUIOp>(i64, mantissa);
  Value product =
      e.make<arith::AddIOp>(e.make<arith::MulIOp>(m, high),
                            shiftRight(e.make<arith::MulIOp>(m, low), half));
  // Two bits of quarters, then the fraction; rounded to the nearest quarter.
  Value rounded = e.make<arith::AddIOp>(product, e.word(uint64_t(1) << 61));
  Value quarters =
      e.make<arith::TruncIOp>(i32, shiftRight(rounded, e.word(62)));
  Value whole = e.both(rounded, e.word(uint64_t(3) << 62));
  Value fraction = e.make<arith::SubIOp>(product, whole);
  // As two i32, which every processor converts.
  Value upper =
      e.make<arith::TruncIOp>(i32, e.make<arith::ShRSIOp>(fraction, half));
  Value lower = e.make<arith::ShRUIOp>(e.make<arith::TruncIOp>(i32, fraction),
                                       e.integer(i32, 1));
  Type f64 = e.b.getF64Type();
  Value value =
      e.add(e.mul(e.make<arith::SIToFPOp>(f64, upper), e.number(0x1p-30)),
            e.mul(e.make<arith::SIToFPOp>(f64, lower), e.number(0x1p-61)));
  Value rest = e.mul(value, e.number(1.57079632679489655800));
  // The sign of x turns both around.
  Value isNegative =
      e.make<arith::CmpIOp>(arith::CmpIPredicate::slt, bits, e.integer(i32, 0));
  rest = e.select(isNegative, e.make<arith::NegFOp>(rest), rest);
  quarters = e.select(
      isNegative, e.make<arith::SubIOp>(e.integer(i32, 0), quarters), quarters);
  return {rest, quarters};
}

/// sin of x plus `shift` quarter turns.
Value emitSine(Emitter &e, Value single, uint64_t shift) {
  Type i32 = e.b.getI32Type(), f64 = e.b.getF64Type();
  Value x = e.make<arith::ExtFOp>(f64, single);
  Value size = e.absolute(x);
  Value isNear = e.is(arith::CmpFPredicate::OLT, size, e.number(0x1p30));
  Angle near = reduceNear(e, e.select(isNear, x, e.number(0)));
  Angle far = reduceFar(e, e.make<arith::BitcastOp>(i32, single));
  Value r = e.select(isNear, near.rest, far.rest);
  Value quarters = e.make<arith::AddIOp>(
      e.select(isNear, near.quarters, far.quarters), e.integer(i32, shift));
  Value z = e.mul(r, r);
  // Taylor's polynomials: the first term left out is below 2^-36.
  Value sine = e.fma(e.mul(r, z),
                     e.polynomial(z, {-1.0 / 6, 1.0 / 120, -1.0 / 5040,
                                      1.0 / 362880, -1.0 / 39916800}),
                     r);
  Value cosine =
      e.polynomial(z, {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
                       -1.0 / 3628800, 1.0 / 479001600});
  auto hasBit = [&](uint64_t bit) {
    return e.make<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                 e.both(quarters, e.integer(i32, bit)),
                                 e.integer(i32, 0));
  };
  Value result = e.select(hasBit(1), cosine, sine);
  result = e.select(hasBit(2), e.make<arith::NegFOp>(result), result);
  Value isFinite = e.is(arith::CmpFPredicate::OLT, size, e.number(INFINITY));
  result = e.select(isFinite, result, e.number(kInvalid));
  if (shift == 0) // and -0 stays -0
    result = e.select(e.is(arith::CmpFPredicate::OLT, size, e.number(0x1p-14)),
                      x, result);
  return e.make<arith::TruncFOp>(single.getType(), result);
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// log2 of a positive finite f64 that was an f32.
Value emitLog2(Emitter &e, Value x) {
  Type i64 = e.b.getI64Type(), f64 = e.b.getF64Type();
  // x = m 2^k with m in [sqrt(1/2), sqrt(2)).
  Value bits = e.make<arith::BitcastOp>(i64, x);
  Value k = e.make<arith::ShRSIOp>(
      e.make<arith::SubIOp>(bits, e.word(0x3fe6a09e667f3bcdull)), e.word(52));
  Value m = e.make<arith::BitcastOp>(
      f64, e.make<arith::SubIOp>(bits, e.make<arith::ShLIOp>(k, e.word(52))));
  // log2 m = 2 / ln 2 atanh s.
  Value s = e.make<arith::DivFOp>(e.sub(m, e.number(1)), e.add(m, e.number(1)));
  Value z = e.mul(s, s);
  SmallVector<double> terms;
  for (int i = 0; i < 9; ++i)
    terms.push_back(2 / std::log(2.0) / (2 * i + 1));
  Value exponent = e.make<arith::SIToFPOp>(
      f64, e.make<arith::TruncIOp>(e.b.getI32Type(), k));
  return e.fma(s, e.polynomial(z, terms), exponent);
}

/// 2^t for t in [-1000, 1000].
Value emitExp2(Emitter &e, Value t) {
  Type i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  Value k = e.round(t), f = e.sub(t, k);
  SmallVector<double> terms{1};
  for (int i = 1; i < 12; ++i)
    terms.push_back(terms.back() * std::log(2.0) / i);
  Value exponent = e.make<arith::ExtSIOp>(i64, e.make<arith::FPToSIOp>(i32, k));
  Value scale = e.make<arith::ShLIOp>(
      e.make<arith::AddIOp>(exponent, e.word(1023)), e.word(52));
  return e.mul(e.polynomial(f, terms),
               e.make<arith::BitcastOp>(e.b.getF64Type(), scale));
}

Value emitPower(Emitter &e, Value base, Value power) {
  Type f64 = e.b.getF64Type();
  Value x = e.make<arith::ExtFOp>(f64, base),
        y = e.make<arith::ExtFOp>(f64, power);
  Value size = e.absolute(x);
  Value isZero = e.equal(size, 0), isInfinite = e.equal(size, INFINITY);
  Value isOrdinary =
      e.both(e.is(arith::CmpFPredicate::OGT, size, e.number(0)),
             e.is(arith::CmpFPredicate::OLT, size, e.number(INFINITY)));
  Value log = emitLog2(e, e.select(isOrdinary, size, e.number(1)));
  log = e.select(isZero, e.number(-INFINITY),
                 e.select(isInfinite, e.number(INFINITY), log));
  // f32 ends at 2^-150 and 2^128.
  Value t = e.mul(y, log);
  Value low = e.number(-300), high = e.number(300);
  t = e.select(e.is(arith::CmpFPredicate::OLT, t, low), low, t);
  t = e.select(e.is(arith::CmpFPredicate::OGT, t, high), high, t);
  Value isKnown = e.is(arith::CmpFPredicate::ORD, t, t);
  Value result = emitExp2(e, e.select(isKnown, t, e.number(0)));
  result = e.select(isKnown, result, t);
  // The sign, and which powers of negative numbers there are.
  Value isWhole = e.is(arith::CmpFPredicate::OEQ, e.round(y), y);
  Value half = e.mul(y, e.number(0.5));
  Value isOdd =
      e.both(isWhole, e.is(arith::CmpFPredicate::ONE, e.round(half), half));
  Value signedOne = e.make<math::CopySignOp>(e.number(1), x);
  result = e.select(isOdd, e.mul(result, signedOne), result);
  Value isNegative =
      e.both(e.is(arith::CmpFPredicate::OLT, x, e.number(0)), isOrdinary);
  Value isBroken = e.is(arith::CmpFPredicate::UNE, e.round(y), y);
  result = e.select(e.both(isNegative, isBroken), e.number(kInvalid), result);
  Value isOne = e.either(e.equal(x, 1), e.equal(y, 0));
  // Both infinite powers of -1.
  isOne =
      e.either(isOne, e.both(e.equal(x, -1), e.equal(e.absolute(y), INFINITY)));
  result = e.select(e.isNaN(x), x, result);
  result = e.select(isOne, e.number(1), result);
  return e.make<arith::TruncFOp>(base.getType(), result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

template <typename Op> struct ExpandFunction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Emitter e(rewriter, op.getLoc());
    if constexpr (std::is_same_v<Op, math::PowFOp>)
      rewriter.replaceOp(op, emitPower(e, op.getLhs(), op.getRhs()));
    else
      rewriter.replaceOp(
          op, emitSine(e, op.getOperand(), std::is_same_v<Op, math::CosOp>));
    return success();
  }
};

} // namespace

void populateFloatFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFunction<math::SinOp>, ExpandFunction<math::CosOp>,
               ExpandFunction<math::PowFOp>>(patterns.getContext());
}

} // namespace partita
