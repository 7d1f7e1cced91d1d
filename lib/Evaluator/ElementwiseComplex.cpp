// Elementwise functions of complex floats: computed in double, rounded to f32
// where so typed.
#include "Element.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Complex = std::complex<double>;

static Complex multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

static Complex expm1(Complex z) {
  double x = z.real(), y = z.imag(), half = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half * half,
          std::exp(x) * std::sin(y)};
}

static Complex log1p(Complex z) {
  double x = z.real(), y = z.imag();
  return {0.5 * std::log1p(x * (2 + x) + y * y), std::atan2(y, 1 + x)};
}

static Complex power(Complex a, Complex b) {
  if (a == Complex(0))
    return b == Complex(0) ? Complex(1) : Complex(0);
  return std::pow(a, b);
}

/// Rounds both parts to f32 if the type is complex<f32>.
static ElementFunction roundedComplex(ElementFunction function, Type type) {
  if (!cast<ComplexType>(type).getElementType().isF32())
    return function;
  return [function = std::move(function)](const void *const *in, void *out,
                                          int64_t n) {
    function(in, out, n);
    auto *cells = static_cast<double *>(out);
    for (int64_t i = 0; i < 2 * n; ++i)
      cells[i] = float(cells[i]);
  };
}

static ElementFunction makeUnary(StringRef name) {
  using Function = Complex (*)(Complex);
  Function function =
      llvm::StringSwitch<Function>(name)
          .Case("negate", [](Complex z) { return -z; })
          .Case("sign",
                [](Complex z) { return z == Complex(0) ? z : z / std::abs(z); })
          .Case("exponential", [](Complex z) { return std::exp(z); })
          .Case("exponential_minus_one", expm1)
          .Case("log", [](Complex z) { return std::log(z); })
          .Case("log_plus_one", log1p)
          .Case("logistic",
                [](Complex z) { return 1.0 / (1.0 + std::exp(-z)); })
          .Case("cosine", [](Complex z) { return std::cos(z); })
          .Case("sine", [](Complex z) { return std::sin(z); })
          .Case("tan", [](Complex z) { return std::tan(z); })
          .Case("tanh", [](Complex z) { return std::tanh(z); })
          .Case("sqrt", [](Complex z) { return std::sqrt(z); })
          .Case("rsqrt", [](Complex z) { return 1.0 / std::sqrt(z); })
          .Case("cbrt", [](Complex z) { return power(z, 1.0 / 3); })
          .Case("acos", [](Complex z) { return std::acos(z); })
          .Case("acosh", [](Complex z) { return std::acosh(z); })
          .Case("asin", [](Complex z) { return std::asin(z); })
          .Case("asinh", [](Complex z) { return std::asinh(z); })
          .Case("atan", [](Complex z) { return std::atan(z); })
          .Case("atanh", [](Complex z) { return std::atanh(z); })
          .Case("cosh", [](Complex z) { return std::cosh(z); })
          .Case("sinh", [](Complex z) { return std::sinh(z); })
          .Case("square", [](Complex z) { return multiply(z, z); })
          .Case("conj", [](Complex z) { return std::conj(z); })
          .Case("optimization_barrier", [](Complex z) { return z; })
          .Default(nullptr);
  return function ? unaryLoop<Complex, Complex>(function) : ElementFunction();
}

/// Parts and magnitude, which are real.
template <typename T> static ElementFunction makePart(StringRef name) {
  if (name == "real")
    return unaryLoop<Complex, T>([](Complex z) { return T(z.real()); });
  if (name == "imag")
    return unaryLoop<Complex, T>([](Complex z) { return T(z.imag()); });
  if (name == "abs")
    return unaryLoop<Complex, T>([](Complex z) { return T(std::abs(z)); });
  return {};
}

/// Lexicographic order of real and imaginary parts.
static Complex maximum(Complex a, Complex b) {
  bool less = a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  return less ? b : a;
}
static Complex minimum(Complex a, Complex b) { return -maximum(-a, -b); }

static ElementFunction makeBinary(StringRef name) {
  using Function = Complex (*)(Complex, Complex);
  Function function =
      llvm::StringSwitch<Function>(name)
          .Case("add", [](Complex a, Complex b) { return a + b; })
          .Case("subtract", [](Complex a, Complex b) { return a - b; })
          .Case("multiply", multiply)
          .Case("divide", [](Complex a, Complex b) { return a / b; })
          .Case("power", power)
          .Case("maximum", maximum)
          .Case("minimum", minimum)
          .Case("atan2",
                [](Complex y, Complex x) {
                  Complex i(0, 1);
                  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
                })
          .Default(nullptr);
  return function ? binaryLoop<Complex, Complex>(function) : ElementFunction();
}

ElementFunction partita::makeComplexFunction(const ElementSpec &spec) {
  if (spec.name == "compare") {
    Comparison comparison = getComparison(spec.op);
    if (comparison != Comparison::EQ && comparison != Comparison::NE)
      return {};
    return compareLoop<Complex>(
        comparison, [](Complex, Complex) { return false; },
        [](Complex a, Complex b) { return a == b; });
  }
  if (!isa<ComplexType>(spec.result))
    return spec.result.isF64() ? makePart<double>(spec.name)
                               : makePart<float>(spec.name);
  ElementFunction function =
      spec.operands.size() == 1 ? makeUnary(spec.name) : makeBinary(spec.name);
  return function ? roundedComplex(std::move(function), spec.result) : function;
}
