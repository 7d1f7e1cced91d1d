// Functions of single elements, prepared once per op and run over arrays of
// cells. The only place that knows what an elementwise op computes.
#ifndef PARTITA_LIB_EVALUATOR_ELEMENT_H
#define PARTITA_LIB_EVALUATOR_ELEMENT_H

#include "Float.h"
#include "partita/Evaluator/Tensor.h"
#include <functional>

namespace partita {

/// Computes n result cells from n cells of each operand. The result may be the
/// memory of an operand of the same cell size.
using ElementFunction =
    std::function<void(const void *const *in, void *out, int64_t n)>;

/// What is computed: an op name without dialect ("add", "convert") on element
/// types. `op` gives further attributes (the direction of compare ...).
struct ElementSpec {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Type, 3> operands;
  mlir::Type result;
  mlir::Operation *op = nullptr;
};

/// The function of a spec; empty if there is none for these types.
ElementFunction makeElementFunction(const ElementSpec &spec,
                                    const Field *field);

/// The function of an elementwise op; empty if the op is not one.
ElementFunction makeElementFunction(mlir::Operation *op, const Field *field);

/// lhs `name` rhs on one element type, e.g. "add".
ElementFunction makeBinaryFunction(llvm::StringRef name, mlir::Type type,
                                   const Field *field);

/// Whether ops of this full name are elementwise (operands may be scalars).
bool isElementwiseName(llvm::StringRef opName);

// Families, each in its own file; empty if the name is none of theirs.
ElementFunction makeFloatFunction(const ElementSpec &spec);
ElementFunction makeIntegerFunction(const ElementSpec &spec);
ElementFunction makeComplexFunction(const ElementSpec &spec);
ElementFunction makeFieldFunction(const ElementSpec &spec, const Field &field);
ElementFunction makeComplexFieldFunction(const ElementSpec &spec,
                                         const Field &field);
ElementFunction makeConvertFunction(mlir::Type from, mlir::Type to,
                                    const Field *field);
/// Bits of an element as those of another type of the same width.
ElementFunction makeBitcastFunction(mlir::Type from, mlir::Type to,
                                    const Field *field);

/// Rounds residues to a narrow float type: a fixed function that keeps what the
/// type can hold exactly. Identity for f32 and f64.
void narrowField(Field::Word *cells, int64_t n, mlir::Type type,
                 const Field &field);

/// Named as in ODS: EQ, NE, GE, GT, LE, LT.
enum class Comparison { EQ, NE, GE, GT, LE, LT };
Comparison getComparison(mlir::Operation *op);
bool isTotalOrder(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

template <typename In, typename Out, typename F>
ElementFunction unaryLoop(F f) {
  return [f](const void *const *in, void *out, int64_t n) {
    auto *a = static_cast<const In *>(in[0]);
    auto *r = static_cast<Out *>(out);
    for (int64_t i = 0; i < n; ++i)
      r[i] = f(a[i]);
  };
}

template <typename In, typename Out, typename F>
ElementFunction binaryLoop(F f) {
  return [f](const void *const *in, void *out, int64_t n) {
    auto *a = static_cast<const In *>(in[0]);
    auto *b = static_cast<const In *>(in[1]);
    auto *r = static_cast<Out *>(out);
    for (int64_t i = 0; i < n; ++i)
      r[i] = f(a[i], b[i]);
  };
}

/// Followed by rounding to a float format.
template <typename T>
ElementFunction rounded(ElementFunction function, FloatFormat format) {
  if (format.roundsNothing())
    return function;
  return [function = std::move(function), format](const void *const *in,
                                                  void *out, int64_t n) {
    function(in, out, n);
    format.roundCells(static_cast<T *>(out), n);
  };
}

/// A comparison of cells by `less` and `equal`, which are both false on NaN.
template <typename T, typename Less, typename Equal>
ElementFunction compareLoop(Comparison comparison, Less less, Equal equal) {
  switch (comparison) {
  case Comparison::EQ:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(equal(a, b)); });
  case Comparison::NE:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(!equal(a, b)); });
  case Comparison::GE:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(less(b, a) || equal(a, b)); });
  case Comparison::GT:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(less(b, a)); });
  case Comparison::LE:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(less(a, b) || equal(a, b)); });
  case Comparison::LT:
    return binaryLoop<T, int64_t>(
        [=](T a, T b) { return int64_t(less(a, b)); });
  }
  return {};
}

} // namespace partita

#endif
