// Integers and booleans.

#include "ScalarEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {

Value ScalarEmitter::emitIntegerDivision(bool isRemainder) {
  // Division by zero gives -1 (all ones), remainder by zero the dividend; the
  // least integer over -1 wraps. None may trap.
  Type type = lhs().getType();
  Value zero = intConstant(0, type), one = intConstant(1, type);
  Value byZero = cmpi(arith::CmpIPredicate::eq, rhs(), zero);
  if (isUnsigned()) {
    Value divisor = select(byZero, one, rhs());
    return isRemainder
               ? select(byZero, lhs(), make<arith::RemUIOp>(lhs(), divisor))
               : select(byZero, intConstant(-1, type),
                        make<arith::DivUIOp>(lhs(), divisor));
  }
  Value minusOne = intConstant(-1, type);
  Value byMinusOne = cmpi(arith::CmpIPredicate::eq, rhs(), minusOne);
  Value divisor = select(make<arith::OrIOp>(byZero, byMinusOne), one, rhs());
  if (isRemainder)
    return select(
        byZero, lhs(),
        select(byMinusOne, zero, make<arith::RemSIOp>(lhs(), divisor)));
  return select(byZero, minusOne,
                select(byMinusOne, make<arith::SubIOp>(zero, lhs()),
                       make<arith::DivSIOp>(lhs(), divisor)));
}

Value ScalarEmitter::emitShift(StringRef name) {
  Type type = lhs().getType();
  Value width = intConstant(type.getIntOrFloatBitWidth(), type);
  Value inRange = cmpi(arith::CmpIPredicate::ult, rhs(), width);
  Value zero = intConstant(0, type);
  Value amount = select(inRange, rhs(), zero);
  if (name == "shift_left")
    return select(inRange, make<arith::ShLIOp>(lhs(), amount), zero);
  if (name == "shift_right_logical")
    return select(inRange, make<arith::ShRUIOp>(lhs(), amount), zero);
  Value last = intConstant(type.getIntOrFloatBitWidth() - 1, type);
  return make<arith::ShRSIOp>(lhs(), select(inRange, rhs(), last));
}

/// By squaring, one step per bit of the exponent. With a negative exponent only
/// 1 and -1 have an integer power, and 0 gives -1, as a division by it does.
Value ScalarEmitter::emitIntegerPower() {
  Type type = lhs().getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = intConstant(0, type), one = intConstant(1, type);
  Value result = one, square = lhs();
  for (unsigned bit = 0; bit < width; ++bit) {
    Value isSet =
        cmpi(arith::CmpIPredicate::ne,
             make<arith::AndIOp>(
                 rhs(), bitsConstant(APInt::getOneBitSet(width, bit), type)),
             zero);
    result = select(isSet, make<arith::MulIOp>(result, square), result);
    if (bit + 1 < width)
      square = make<arith::MulIOp>(square, square);
  }
  if (isUnsigned() || width == 1)
    return result;
  Value minusOne = intConstant(-1, type);
  auto is = [&](Value value) {
    return cmpi(arith::CmpIPredicate::eq, lhs(), value);
  };
  Value isOdd =
      cmpi(arith::CmpIPredicate::ne, make<arith::AndIOp>(rhs(), one), zero);
  Value ofMinusOne = select(isOdd, minusOne, one);
  Value inverse = select(
      is(one), one,
      select(is(minusOne), ofMinusOne, select(is(zero), minusOne, zero)));
  return select(cmpi(arith::CmpIPredicate::slt, rhs(), zero), inverse, result);
}

/// Upper half of the product, computed in twice the width.
Value ScalarEmitter::emitMultiplyHigh() {
  Type type = lhs().getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type wide = b.getIntegerType(2 * width);
  auto widen = [&](Value x) {
    return isUnsigned() ? make<arith::ExtUIOp>(wide, x)
                        : make<arith::ExtSIOp>(wide, x);
  };
  Value product = make<arith::MulIOp>(widen(lhs()), widen(rhs()));
  return make<arith::TruncIOp>(
      type, make<arith::ShRUIOp>(product, intConstant(width, wide)));
}

Value ScalarEmitter::emitUnaryInteger(StringRef name) {
  Value x = lhs();
  Type type = x.getType();
  Value zero = intConstant(0, type);
  if (name == "sign") {
    Value one = intConstant(1, type);
    Value positive = select(cmpi(arith::CmpIPredicate::eq, x, zero), zero, one);
    return isUnsigned() ? positive
                        : select(cmpi(arith::CmpIPredicate::slt, x, zero),
                                 intConstant(-1, type), positive);
  }
  if (name == "not")
    return make<arith::XOrIOp>(x, intConstant(-1, type));
  if (name == "negate")
    return make<arith::SubIOp>(zero, x);
  if (name == "abs")
    return isUnsigned() ? x : make<math::AbsIOp>(x);
  if (name == "square")
    return make<arith::MulIOp>(x, x);
  if (name == "count_leading_zeros")
    return make<math::CountLeadingZerosOp>(x);
  if (name == "popcnt")
    return make<math::CtPopOp>(x);
  return Value();
}

Value ScalarEmitter::emitBinaryInteger(StringRef name) {
  bool isBool = inType.isInteger(1);
  if (name == "divide" || name == "remainder")
    return emitIntegerDivision(name == "remainder");
  if (name.starts_with("shift"))
    return emitShift(name);
  if (isBool && (name == "add" || name == "maximum"))
    return make<arith::OrIOp>(lhs(), rhs());
  if (isBool && (name == "multiply" || name == "minimum"))
    return make<arith::AndIOp>(lhs(), rhs());
  if (name == "maximum")
    return isUnsigned() ? make<arith::MaxUIOp>(lhs(), rhs())
                        : make<arith::MaxSIOp>(lhs(), rhs());
  if (name == "minimum")
    return isUnsigned() ? make<arith::MinUIOp>(lhs(), rhs())
                        : make<arith::MinSIOp>(lhs(), rhs());
  return llvm::StringSwitch<llvm::function_ref<Value()>>(name)
      .Case("add", [&] { return make<arith::AddIOp>(lhs(), rhs()); })
      .Case("subtract", [&] { return make<arith::SubIOp>(lhs(), rhs()); })
      .Case("multiply", [&] { return make<arith::MulIOp>(lhs(), rhs()); })
      .Case("and", [&] { return make<arith::AndIOp>(lhs(), rhs()); })
      .Case("or", [&] { return make<arith::OrIOp>(lhs(), rhs()); })
      .Case("xor", [&] { return make<arith::XOrIOp>(lhs(), rhs()); })
      .Case("power", [&] { return emitIntegerPower(); })
      .Case("mulhi", [&] { return emitMultiplyHigh(); })
      .Default([] { return Value(); })();
}

Value ScalarEmitter::emitCompareInteger(
    stablehlo::ComparisonDirection direction) {
  static const arith::CmpIPredicate isSigned[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::sge, arith::CmpIPredicate::sgt,
      arith::CmpIPredicate::sle, arith::CmpIPredicate::slt};
  static const arith::CmpIPredicate isPlain[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::uge, arith::CmpIPredicate::ugt,
      arith::CmpIPredicate::ule, arith::CmpIPredicate::ult};
  int index = static_cast<int>(direction);
  return cmpi(isUnsigned() ? isPlain[index] : isSigned[index], lhs(), rhs());
}

} // namespace partita
