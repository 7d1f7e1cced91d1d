// Products of matrices, on which dots and convolutions rest.
#ifndef PARTITA_LIB_EVALUATOR_GEMM_H
#define PARTITA_LIB_EVALUATOR_GEMM_H

#include "partita/Evaluator/Tensor.h"

namespace partita {

/// The product of lhs [B, M, K] and rhs [B, K, N] as [B, M, N] of
/// `elementType`. Narrow floats accumulate in f32 and more, and are rounded
/// once; integers wrap; residues are exact, and rounded once (a hash) where the
/// result type is narrower than f32 or the operands.
Tensor multiplyMatrices(const Tensor &lhs, const Tensor &rhs,
                        mlir::Type elementType, const Field *field);

/// dot_general of two tensors, as a tensor of `type`.
Tensor dotGeneral(const Tensor &lhs, const Tensor &rhs,
                  llvm::ArrayRef<int64_t> lhsBatch,
                  llvm::ArrayRef<int64_t> rhsBatch,
                  llvm::ArrayRef<int64_t> lhsContracting,
                  llvm::ArrayRef<int64_t> rhsContracting,
                  mlir::RankedTensorType type, const Field *field);

/// c += a * b of row-major matrices [m, k] and [k, n]; residues without flags.
void multiplyFloat(const float *a, const float *b, double *c, int64_t m,
                   int64_t n, int64_t k);
void multiplyDouble(const double *a, const double *b, double *c, int64_t m,
                    int64_t n, int64_t k);
void multiplyInteger(const int64_t *a, const int64_t *b, int64_t *c, int64_t m,
                     int64_t n, int64_t k);
void multiplyField(const Field::Word *a, const Field::Word *b, Field::Word *c,
                   int64_t m, int64_t n, int64_t k, const Field &field);

} // namespace partita

#endif
