// Elementwise ops on scalars, and bodies of reductions and kernels.

#include "LinalgEmitter.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace partita {
namespace {

/// One op on scalars: the original types tell signedness.
class ScalarEmitter {
public:
  ScalarEmitter(OpBuilder &b, Operation *op, ValueRange operands)
      : b(b), loc(op->getLoc()), op(op), operands(operands),
        inType(getElementTypeOrSelf(op->getOperand(
            op->getName().getStringRef() == "stablehlo.select" ? 1 : 0))),
        outType(getElementTypeOrSelf(op->getResult(0))) {}

  Value emit();

private:
  Value emitNamed(StringRef name);
  Value emitUnaryFloat(StringRef name);
  Value emitBinary(StringRef name);
  Value emitComplex(StringRef name);
  Value emitCompare(stablehlo::CompareOp compare);
  Value emitConvert();
  Value emitFloatToInteger(Value x, Type to);
  Value emitIntegerDivision(bool isRemainder);
  Value emitShift(StringRef name);
  Value emitSign();

  bool isFloat() const { return isa<FloatType>(inType); }
  bool isUnsigned() const {
    return inType.isUnsignedInteger() || inType.isInteger(1);
  }
  Value lhs() const { return operands[0]; }
  Value rhs() const { return operands[1]; }
  Value floatConstant(double value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value intConstant(int64_t value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  Value select(Value condition, Value yes, Value no) {
    return make<arith::SelectOp>(condition, yes, no);
  }
  Value cmpi(arith::CmpIPredicate predicate, Value a, Value c) {
    return make<arith::CmpIOp>(predicate, a, c);
  }

  OpBuilder &b;
  Location loc;
  Operation *op;
  ValueRange operands;
  Type inType, outType;
};

} // namespace

Value ScalarEmitter::emitSign() {
  Value x = lhs();
  if (isFloat()) {
    Value one = floatConstant(1, x.getType()),
          zero = floatConstant(0, x.getType());
    // Zeros and NaN stay what they are.
    Value isNonZero = make<arith::CmpFOp>(arith::CmpFPredicate::ONE, x, zero);
    return select(isNonZero, make<math::CopySignOp>(one, x), x);
  }
  Value zero = intConstant(0, x.getType()), one = intConstant(1, x.getType());
  Value positive = select(cmpi(arith::CmpIPredicate::eq, x, zero), zero, one);
  if (isUnsigned())
    return positive;
  return select(cmpi(arith::CmpIPredicate::slt, x, zero),
                intConstant(-1, x.getType()), positive);
}

Value ScalarEmitter::emitUnaryFloat(StringRef name) {
  Value x = lhs();
  Type type = x.getType();
  if (name == "logistic") {
    Value one = floatConstant(1, type);
    Value e = make<math::ExpOp>(make<arith::NegFOp>(x));
    return make<arith::DivFOp>(one, make<arith::AddFOp>(one, e));
  }
  if (name == "is_finite")
    return make<arith::CmpFOp>(
        arith::CmpFPredicate::OLT, make<math::AbsFOp>(x),
        floatConstant(std::numeric_limits<double>::infinity(), type));
  if (name == "square")
    return make<arith::MulFOp>(x, x);
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

Value ScalarEmitter::emitBinary(StringRef name) {
  bool isBool = inType.isInteger(1);
  if (isFloat())
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
        .Default([] { return Value(); })();
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
      .Case("power", [&] { return make<math::IPowIOp>(lhs(), rhs()); })
      .Default([] { return Value(); })();
}

Value ScalarEmitter::emitComplex(StringRef name) {
  Type type = LinalgEmitter::convertType(outType);
  if (name == "complex")
    return make<complex::CreateOp>(type, lhs(), rhs());
  if (name == "real")
    return isFloat() ? lhs() : make<complex::ReOp>(type, lhs());
  if (name == "imag")
    return isFloat() ? floatConstant(0, type)
                     : make<complex::ImOp>(type, lhs());
  if (name == "abs")
    return make<complex::AbsOp>(type, lhs());
  return llvm::StringSwitch<llvm::function_ref<Value()>>(name)
      .Case("add", [&] { return make<complex::AddOp>(lhs(), rhs()); })
      .Case("subtract", [&] { return make<complex::SubOp>(lhs(), rhs()); })
      .Case("multiply", [&] { return make<complex::MulOp>(lhs(), rhs()); })
      .Case("divide", [&] { return make<complex::DivOp>(lhs(), rhs()); })
      .Case("negate", [&] { return make<complex::NegOp>(lhs()); })
      .Case("exponential", [&] { return make<complex::ExpOp>(lhs()); })
      .Case("log", [&] { return make<complex::LogOp>(lhs()); })
      .Case("sqrt", [&] { return make<complex::SqrtOp>(lhs()); })
      .Case("tanh", [&] { return make<complex::TanhOp>(lhs()); })
      .Case("sine", [&] { return make<complex::SinOp>(lhs()); })
      .Case("cosine", [&] { return make<complex::CosOp>(lhs()); })
      .Default([] { return Value(); })();
}

Value ScalarEmitter::emitCompare(stablehlo::CompareOp compare) {
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  if (isa<ComplexType>(inType)) {
    if (direction == Direction::EQ)
      return make<complex::EqualOp>(lhs(), rhs());
    return direction == Direction::NE ? make<complex::NotEqualOp>(lhs(), rhs())
                                      : Value();
  }
  if (isFloat()) {
    static const arith::CmpFPredicate table[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OGE, arith::CmpFPredicate::OGT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OLT};
    auto type = compare.getCompareType();
    Value a = lhs(), c = rhs();
    if (type && *type == stablehlo::ComparisonType::TOTALORDER) {
      // Order the bit patterns: negative numbers reversed below the others.
      auto key = [&](Value x) {
        Type bits = b.getIntegerType(inType.getIntOrFloatBitWidth());
        Value pattern = make<arith::BitcastOp>(bits, x);
        Value mask = make<arith::ShRSIOp>(
            pattern, intConstant(inType.getIntOrFloatBitWidth() - 1, bits));
        Value magnitude = make<arith::ShRUIOp>(mask, intConstant(1, bits));
        return make<arith::XOrIOp>(pattern, magnitude);
      };
      static const arith::CmpIPredicate order[] = {
          arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
          arith::CmpIPredicate::sge, arith::CmpIPredicate::sgt,
          arith::CmpIPredicate::sle, arith::CmpIPredicate::slt};
      return cmpi(order[static_cast<int>(direction)], key(a), key(c));
    }
    return make<arith::CmpFOp>(table[static_cast<int>(direction)], a, c);
  }
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

/// Saturating, NaN to zero, as XLA does.
Value ScalarEmitter::emitFloatToInteger(Value x, Type to) {
  bool toUnsigned = outType.isUnsignedInteger();
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
  auto integer = [&](const APInt &bits) -> Value {
    return arith::ConstantOp::create(b, loc, IntegerAttr::get(to, bits));
  };
  APInt most =
      toUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt least =
      toUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return select(tooLarge, integer(most),
                select(tooSmall, integer(least), value));
}

Value ScalarEmitter::emitConvert() {
  Value x = lhs();
  Type to = LinalgEmitter::convertType(outType);
  if (isa<ComplexType>(outType)) {
    Type part = cast<ComplexType>(to).getElementType();
    if (isa<ComplexType>(inType)) {
      auto widen = [&](Value value) -> Value {
        unsigned from = value.getType().getIntOrFloatBitWidth();
        unsigned width = part.getIntOrFloatBitWidth();
        return from == width  ? value
               : from < width ? make<arith::ExtFOp>(part, value)
                              : make<arith::TruncFOp>(part, value);
      };
      Type from = cast<ComplexType>(x.getType()).getElementType();
      return make<complex::CreateOp>(to, widen(make<complex::ReOp>(from, x)),
                                     widen(make<complex::ImOp>(from, x)));
    }
    Value real = isFloat()      ? x
                 : isUnsigned() ? make<arith::UIToFPOp>(part, x)
                                : make<arith::SIToFPOp>(part, x);
    if (real.getType() != part)
      return Value();
    return make<complex::CreateOp>(to, real, floatConstant(0, part));
  }
  if (isa<ComplexType>(inType))
    return Value();
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (isFloat() && isa<FloatType>(to)) {
    if (x.getType() == to)
      return x;
    if (from == width) // bf16 and f16: through f32
      return make<arith::TruncFOp>(to, make<arith::ExtFOp>(b.getF32Type(), x));
    return from < width ? make<arith::ExtFOp>(to, x)
                        : make<arith::TruncFOp>(to, x);
  }
  if (outType.isInteger(1) && !inType.isInteger(1))
    return isFloat()
               ? make<arith::CmpFOp>(arith::CmpFPredicate::UNE, x,
                                     floatConstant(0, x.getType()))
               : cmpi(arith::CmpIPredicate::ne, x, intConstant(0, x.getType()));
  if (isFloat()) {
    // Narrow floats go through f32.
    if (from < 32)
      x = make<arith::ExtFOp>(b.getF32Type(), x);
    return emitFloatToInteger(x, to);
  }
  if (isa<FloatType>(to))
    return isUnsigned() ? make<arith::UIToFPOp>(to, x)
                        : make<arith::SIToFPOp>(to, x);
  if (from == width)
    return x;
  if (from > width)
    return make<arith::TruncIOp>(to, x);
  return isUnsigned() ? make<arith::ExtUIOp>(to, x)
                      : make<arith::ExtSIOp>(to, x);
}

Value ScalarEmitter::emitNamed(StringRef name) {
  if (name == "convert")
    return emitConvert();
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op))
    return emitCompare(compare);
  if (name == "select")
    return select(operands[0], operands[1], operands[2]);
  if (name == "reduce_precision") {
    auto reduce = cast<stablehlo::ReducePrecisionOp>(op);
    unsigned exponent = reduce.getExponentBits(),
             mantissa = reduce.getMantissaBits();
    Type narrow = exponent == 8 && mantissa == 7    ? Type(b.getBF16Type())
                  : exponent == 5 && mantissa == 10 ? Type(b.getF16Type())
                                                    : Type();
    if (exponent == 8 && mantissa == 23 && inType.isF32())
      return lhs();
    if (!narrow || !inType.isF32())
      return Value();
    return make<arith::ExtFOp>(inType, make<arith::TruncFOp>(narrow, lhs()));
  }
  if (isa<ComplexType>(inType) || isa<ComplexType>(outType) || name == "real" ||
      name == "imag")
    return emitComplex(name);
  if (name == "sign")
    return emitSign();
  if (name == "not")
    return make<arith::XOrIOp>(lhs(), intConstant(-1, lhs().getType()));
  if (name == "clamp") {
    Value low = operands[0], x = operands[1], high = operands[2];
    if (isFloat())
      return make<arith::MinimumFOp>(make<arith::MaximumFOp>(x, low), high);
    return isUnsigned()
               ? make<arith::MinUIOp>(make<arith::MaxUIOp>(x, low), high)
               : make<arith::MinSIOp>(make<arith::MaxSIOp>(x, low), high);
  }
  if (operands.size() == 2)
    return emitBinary(name);
  if (operands.size() != 1)
    return Value();
  if (isFloat())
    return emitUnaryFloat(name);
  Type type = lhs().getType();
  if (name == "negate")
    return make<arith::SubIOp>(intConstant(0, type), lhs());
  if (name == "abs")
    return isUnsigned() ? lhs() : make<math::AbsIOp>(lhs());
  if (name == "square")
    return make<arith::MulIOp>(lhs(), lhs());
  if (name == "count_leading_zeros")
    return make<math::CountLeadingZerosOp>(lhs());
  if (name == "popcnt")
    return make<math::CtPopOp>(lhs());
  return Value();
}

Value ScalarEmitter::emit() { return emitNamed(op->getName().stripDialect()); }

Value LinalgEmitter::emitScalar(OpBuilder &builder, Operation *op,
                                ValueRange operands) {
  if (op->getNumResults() != 1 || operands.empty())
    return Value();
  return ScalarEmitter(builder, op, operands).emit();
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
      Attribute element = *value.value_begin<Attribute>();
      if (auto integer = dyn_cast<IntegerAttr>(element))
        element = IntegerAttr::get(convertType(integer.getType()),
                                   integer.getValue());
      result = arith::ConstantOp::create(builder, op.getLoc(),
                                         cast<TypedAttr>(element));
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
