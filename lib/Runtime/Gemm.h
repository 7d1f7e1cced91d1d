// Products of matrices of one element type.
#ifndef PARTITA_LIB_RUNTIME_GEMM_H
#define PARTITA_LIB_RUNTIME_GEMM_H

#include "Descriptor.h"

namespace partita::runtime {

/// A matrix of which one of the two strides is 1.
struct Matrix {
  const void *data;
  int64_t rowStride, columnStride;
};

/// c[i * cStride + j] = sum over k < depth of a[i, k] b[k, j], for i < rows and j <
/// columns; added to what c holds if `accumulate`. `dtype` is no narrow float. OpenBLAS
/// above a size, where it is there.
void multiplyMatrices(partita_dtype dtype, int64_t rows, int64_t columns, int64_t depth,
                      Matrix a, Matrix b, void *c, int64_t cStride,
                      bool accumulate = false);

/// How many threads OpenBLAS may use for one product.
void setBlasThreads(int threads);

} // namespace partita::runtime

#endif
