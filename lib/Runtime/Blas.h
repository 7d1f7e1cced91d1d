// OpenBLAS, loaded at its first use.
#ifndef PARTITA_LIB_RUNTIME_BLAS_H
#define PARTITA_LIB_RUNTIME_BLAS_H

namespace partita::runtime {

/// The functions used; all null where the library is missing. Arguments as in
/// cblas.h: order 101 row major, transposition 111 none, 112 transposed.
struct Blas {
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha,
                const float *a, int lda, const float *b, int ldb, float beta, float *c,
                int ldc) = nullptr;
  void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha,
                const double *a, int lda, const double *b, int ldb, double beta, double *c,
                int ldc) = nullptr;
  void (*sgemv)(int order, int ta, int m, int n, float alpha, const float *a, int lda,
                const float *x, int incx, float beta, float *y, int incy) = nullptr;
  void (*dgemv)(int order, int ta, int m, int n, double alpha, const double *a, int lda,
                const double *x, int incx, double beta, double *y, int incy) = nullptr;
  void (*setThreads)(int) = nullptr;
};

const Blas &getBlas();

/// Threads that a large kernel of one device may take.
int getBlasThreads();

} // namespace partita::runtime

#endif
