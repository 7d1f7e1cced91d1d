// CHLO functions: HLO has an opcode for some; the others that models use are
// expanded. The rest is left to XLA's own expansion in the manual form.

#include "HLOWriter.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::hlo {
namespace {

/// Appends float instructions of one type.
class FloatMath {
public:
  FloatMath(ComputationWriter &writer, RankedTensorType type)
      : writer(writer), type(type), shape(getShape(type)),
        predicates(
            getShape(type.clone(IntegerType::get(type.getContext(), 1)))) {}

  using Name = const std::string &;
  std::string constant(double value) {
    return writer.addSplat(type, FloatAttr::get(type.getElementType(), value));
  }
  std::string unary(StringRef opcode, Name x) {
    return writer.add(shape, opcode, {x});
  }
  std::string binary(StringRef opcode, Name x, Name y) {
    return writer.add(shape, opcode, {x, y});
  }
  std::string add(Name x, Name y) { return binary("add", x, y); }
  std::string mul(Name x, Name y) { return binary("multiply", x, y); }
  std::string sub(Name x, Name y) { return binary("subtract", x, y); }
  std::string div(Name x, Name y) { return binary("divide", x, y); }
  std::string compare(Name x, StringRef direction, Name y) {
    return writer.add(predicates, "compare", {x, y},
                      ", direction=" + direction);
  }
  std::string select(Name condition, Name x, Name y) {
    return writer.add(shape, "select", {condition, x, y});
  }
  /// Horner's rule, highest power first.
  std::string polynomial(Name x, ArrayRef<double> coefficients) {
    std::string sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = add(mul(sum, x), constant(coefficient));
    return sum;
  }

private:
  ComputationWriter &writer;
  RankedTensorType type;
  std::string shape, predicates;
};

} // namespace

/// 1 - erf(x) where |x| < 1; beyond, exp(-x^2)/x times a rational function's
/// single-precision fit in 1/x^2 (Cephes), mirrored for x < 0.
static std::string writeErfc(FloatMath &math, const std::string &x) {
  std::string one = math.constant(1), zero = math.constant(0);
  std::string size = math.unary("abs", x);
  std::string inner = math.sub(one, math.unary("erf", x));
  std::string power =
      math.unary("exponential", math.unary("negate", math.mul(x, x)));
  std::string inverse = math.div(one, size);
  std::string y = math.mul(inverse, inverse);
  std::string near = math.polynomial(
      y, {2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1,
          -5.824733027278666e-1, 6.210004621745983e-1, -4.944515323274145e-1,
          3.404879937665872e-1, -2.741127028184656e-1, 5.638259427386472e-1});
  std::string far = math.polynomial(
      y, {-1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503e+0,
          2.921019019210786e+0, -1.015265279202700e+0, 4.218463358204948e-1,
          -2.820767439740514e-1, 5.641895067754075e-1});
  std::string fit =
      math.select(math.compare(size, "LT", math.constant(2)), near, far);
  std::string tail = math.mul(math.mul(power, inverse), fit);
  // Where exp(-x^2) is 0 the tail is; 0 times infinity is not.
  tail = math.select(math.compare(power, "EQ", zero), zero, tail);
  tail = math.select(math.compare(x, "LT", zero),
                     math.sub(math.constant(2), tail), tail);
  return math.select(math.compare(size, "LT", one), inner, tail);
}

/// Giles' single-precision fit in w = -log(1 - x^2).
static std::string writeErfInv(FloatMath &math, const std::string &x) {
  std::string w =
      math.unary("negate", math.unary("log-plus-one",
                                      math.unary("negate", math.mul(x, x))));
  std::string central = math.polynomial(
      math.sub(w, math.constant(2.5)),
      {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
       0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  std::string tail = math.polynomial(
      math.sub(math.unary("sqrt", w), math.constant(3)),
      {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
       0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  std::string fit =
      math.select(math.compare(w, "LT", math.constant(5)), central, tail);
  std::string isEnd =
      math.compare(math.unary("abs", x), "EQ", math.constant(1));
  std::string infinity = math.constant(std::numeric_limits<double>::infinity());
  return math.select(isEnd, math.mul(x, infinity), math.mul(x, fit));
}

static std::string writeSin(FloatMath &math, const std::string &x, bool isCos) {
  std::string one = math.constant(1);
  std::string root = math.unary("sqrt", math.sub(one, math.mul(x, x)));
  std::string half = isCos ? math.binary("atan2", root, math.add(one, x))
                           : math.binary("atan2", x, math.add(one, root));
  return math.add(half, half);
}

/// sign(x) log(|x| + sqrt(x^2 + 1)), without loss near 0 and overflow far away.
static std::string writeAsinh(FloatMath &math, const std::string &x) {
  std::string one = math.constant(1), size = math.unary("abs", x);
  std::string square = math.mul(size, size);
  std::string root = math.unary("sqrt", math.add(square, one));
  std::string near = math.unary(
      "log-plus-one", math.add(size, math.div(square, math.add(one, root))));
  std::string far = math.add(math.unary("log", size), math.constant(M_LN2));
  std::string isFar = math.compare(size, "GT", math.constant(1e9));
  return math.mul(math.unary("sign", x), math.select(isFar, far, near));
}

static std::string writeAcosh(FloatMath &math, const std::string &x) {
  std::string one = math.constant(1);
  std::string root = math.mul(math.unary("sqrt", math.sub(x, one)),
                              math.unary("sqrt", math.add(x, one)));
  std::string near = math.unary("log", math.add(x, root));
  std::string far = math.add(math.unary("log", x), math.constant(M_LN2));
  return math.select(math.compare(x, "GT", math.constant(1e9)), far, near);
}

static std::string writeAtanh(FloatMath &math, const std::string &x) {
  return math.mul(
      math.constant(0.5),
      math.sub(math.unary("log-plus-one", x),
               math.unary("log-plus-one", math.unary("negate", x))));
}

/// exp(x - log 2) and exp(-x - log 2): halves of the two exponentials, which
/// overflow no earlier than the results.
static std::string writeHyperbolic(FloatMath &math, const std::string &x,
                                   bool isCosh) {
  std::string shift = math.constant(-M_LN2);
  std::string up = math.unary("exponential", math.add(x, shift));
  std::string down = math.unary("exponential", math.sub(shift, x));
  if (isCosh)
    return math.add(up, down);
  std::string one = math.constant(1);
  std::string e = math.unary("exponential-minus-one", x);
  std::string near =
      math.mul(math.constant(0.5), math.add(e, math.div(e, math.add(e, one))));
  return math.select(math.compare(math.unary("abs", x), "LT", one), near,
                     math.sub(up, down));
}

/// A function of reals by its formula, in f32 for shorter floats. Error
/// functions have fits for f32 only.
static bool writeExpanded(ComputationWriter &writer, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isFit = isa<chlo::ErfcOp, chlo::ErfInvOp>(op);
  if (isa<ComplexType>(type.getElementType()) ||
      (isFit && type.getElementTypeBitWidth() > 32))
    return false;
  RankedTensorType wide = type.getElementTypeBitWidth() < 32
                              ? type.clone(Float32Type::get(op->getContext()))
                              : type;
  std::string x = writer.get(op->getOperand(0));
  if (type != wide)
    x = writer.add(getShape(wide), "convert", {x});
  FloatMath math(writer, wide);
  std::string y =
      TypeSwitch<Operation *, std::string>(op)
          .Case<chlo::ErfcOp>([&](auto) { return writeErfc(math, x); })
          .Case<chlo::ErfInvOp>([&](auto) { return writeErfInv(math, x); })
          .Case<chlo::AcosOp>([&](auto) { return writeSin(math, x, true); })
          .Case<chlo::AsinOp>([&](auto) { return writeSin(math, x, false); })
          .Case<chlo::AcoshOp>([&](auto) { return writeAcosh(math, x); })
          .Case<chlo::AsinhOp>([&](auto) { return writeAsinh(math, x); })
          .Case<chlo::AtanhOp>([&](auto) { return writeAtanh(math, x); })
          .Case<chlo::AtanOp>(
              [&](auto) { return math.binary("atan2", x, math.constant(1)); })
          .Case<chlo::CoshOp>(
              [&](auto) { return writeHyperbolic(math, x, true); })
          .Default(
              [&](Operation *) { return writeHyperbolic(math, x, false); });
  if (type != wide)
    y = writer.add(getShape(type), "convert", {y});
  writer.bind(op->getResult(0), y);
  return true;
}

/// Whether a value is infinite; of one sign if `sign` is not 0.
static void writeIsInfinite(ComputationWriter &writer, Operation *op,
                            int sign) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  std::string x = writer.get(op->getOperand(0));
  if (sign == 0)
    x = writer.add(getShape(type), "abs", {x});
  double infinity = std::numeric_limits<double>::infinity();
  std::string limit =
      writer.addSplat(type, FloatAttr::get(type.getElementType(),
                                           sign < 0 ? -infinity : infinity));
  writer.bind(op->getResult(0),
              writer.add(getShape(op->getResult(0).getType()), "compare",
                         {x, limit}, ", direction=EQ"));
}

static void writeConjugate(ComputationWriter &writer, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::string x = writer.get(op->getOperand(0));
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return writer.bind(op->getResult(0), x);
  std::string part = getShape(type.clone(complex.getElementType()));
  std::string imaginary = writer.add(part, "imag", {x});
  writer.bind(op->getResult(0),
              writer.add(getShape(type), "complex",
                         {writer.add(part, "real", {x}),
                          writer.add(part, "negate", {imaginary})}));
}

Written writeMath(ComputationWriter &writer, Operation *op) {
  StringRef opcode = llvm::StringSwitch<StringRef>(op->getName().getStringRef())
                         .Case("chlo.tan", "tan")
                         .Case("chlo.erf", "erf")
                         .Default("");
  if (!opcode.empty()) {
    writer.addOp(op, opcode);
    return true;
  }
  return TypeSwitch<Operation *, Written>(op)
      .Case<chlo::SquareOp>([&](auto square) {
        std::string x = writer.get(op->getOperand(0));
        writer.bind(square.getResult(),
                    writer.add(getShape(square.getType()), "multiply", {x, x}));
        return true;
      })
      .Case<chlo::ErfcOp, chlo::ErfInvOp, chlo::AcosOp, chlo::AsinOp,
            chlo::AcoshOp, chlo::AsinhOp, chlo::AtanhOp, chlo::AtanOp,
            chlo::CoshOp, chlo::SinhOp>(
          [&](auto) { return writeExpanded(writer, op); })
      .Case<chlo::IsInfOp>([&](auto) {
        writeIsInfinite(writer, op, 0);
        return true;
      })
      .Case<chlo::IsPosInfOp>([&](auto) {
        writeIsInfinite(writer, op, 1);
        return true;
      })
      .Case<chlo::IsNegInfOp>([&](auto) {
        writeIsInfinite(writer, op, -1);
        return true;
      })
      .Case<chlo::ConjOp>([&](auto) {
        writeConjugate(writer, op);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace partita::hlo
