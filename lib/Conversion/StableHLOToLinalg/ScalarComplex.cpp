// Complex numbers: what is a few real operations. Functions are kernels of the
// runtime (RuntimeCalls.cpp).

#include "ScalarEmitter.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {

/// Lexicographic order of real and imaginary parts; the minimum is the negated
/// maximum of the negated numbers.
Value ScalarEmitter::emitComplexMaximum(bool isMinimum) {
  Value a = lhs(), c = rhs();
  Type part = cast<ComplexType>(a.getType()).getElementType();
  Value re = make<complex::ReOp>(part, a), im = make<complex::ImOp>(part, a);
  Value otherRe = make<complex::ReOp>(part, c),
        otherIm = make<complex::ImOp>(part, c);
  arith::CmpFPredicate less =
      isMinimum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value isLess = select(cmpf(arith::CmpFPredicate::UNE, re, otherRe),
                        cmpf(less, re, otherRe), cmpf(less, im, otherIm));
  return select(isLess, c, a);
}

Value ScalarEmitter::emitComplex(StringRef name) {
  Type type = getStorageType(outType);
  if (name == "complex")
    return make<complex::CreateOp>(type, lhs(), rhs());
  if (name == "real")
    return make<complex::ReOp>(type, lhs());
  if (name == "imag")
    return make<complex::ImOp>(type, lhs());
  if (name == "abs")
    return make<complex::AbsOp>(type, lhs());
  if (name == "square")
    return make<complex::MulOp>(lhs(), lhs());
  if (name == "conj")
    return make<complex::ConjOp>(type, lhs());
  if (name == "maximum" || name == "minimum")
    return emitComplexMaximum(name == "minimum");
  return llvm::StringSwitch<llvm::function_ref<Value()>>(name)
      .Case("add", [&] { return make<complex::AddOp>(lhs(), rhs()); })
      .Case("subtract", [&] { return make<complex::SubOp>(lhs(), rhs()); })
      .Case("multiply", [&] { return make<complex::MulOp>(lhs(), rhs()); })
      .Case("negate", [&] { return make<complex::NegOp>(lhs()); })
      .Default([] { return Value(); })();
}

} // namespace partita
