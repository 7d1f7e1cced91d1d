// Matrices as arrays of complex doubles, for factorisations.
#ifndef PARTITA_LIB_EVALUATOR_LINEARALGEBRA_H
#define PARTITA_LIB_EVALUATOR_LINEARALGEBRA_H

#include "Kernels.h"
#include <complex>
#include <vector>

namespace partita {

/// `count` cells of a float tensor from `begin`.
std::vector<std::complex<double>> readMatrix(const Tensor &tensor,
                                             int64_t begin, int64_t count);
/// Writes cells, rounded to the element type.
void writeMatrix(Tensor &tensor, int64_t begin,
                 llvm::ArrayRef<std::complex<double>> values);

/// Replaces a [n, n] by its lower Cholesky factor; all NaN and false if it has
/// none. Reads the lower triangle.
bool factorCholesky(std::vector<std::complex<double>> &a, int64_t n);

/// In field mode: fills the float results with a fixed function of the inputs
/// of the same batch. All have `batches` as the product of their leading sizes.
void hashMatrices(llvm::ArrayRef<Tensor> inputs, int64_t batches,
                  llvm::StringRef name, llvm::MutableArrayRef<Tensor> results,
                  const Field &field);

} // namespace partita

#endif
