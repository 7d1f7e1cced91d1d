// Elementwise functions of complex floats: computed in double, rounded to f32
// where so typed.
#include "Element.h"
#include "mlir/IR/Operation.h"
#include "partita/Support/ComplexFunctions.h"

using namespace mlir;
using namespace partita;
using Complex = std::complex<double>;

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

/// A function of the table that takes `operands` numbers.
static ElementFunction makeFunction(StringRef name, int64_t operands) {
  if (name == "optimization_barrier")
    return unaryLoop<Complex, Complex>([](Complex z) { return z; });
  int64_t function = findComplexFunction({name.data(), name.size()});
  if (function < 0 || getNumComplexOperands(function) != operands)
    return {};
  if (operands == 1)
    return unaryLoop<Complex, Complex>(
        [=](Complex z) { return evaluateComplex(function, z, Complex()); });
  return binaryLoop<Complex, Complex>(
      [=](Complex a, Complex b) { return evaluateComplex(function, a, b); });
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
  ElementFunction function = makeFunction(spec.name, spec.operands.size());
  return function ? roundedComplex(std::move(function), spec.result) : function;
}
