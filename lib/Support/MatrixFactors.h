// Eigenvalues and systems of dense complex matrices, as LAPACK defines them.
// Pure arithmetic: no IR, no tensors. Plain loops: these are references.
#ifndef PARTITA_LIB_SUPPORT_MATRIXFACTORS_H
#define PARTITA_LIB_SUPPORT_MATRIXFACTORS_H

#include <complex>
#include <cstdint>
#include <vector>

namespace partita {

/// Row-major matrix.
struct Matrix {
  using Number = std::complex<double>;

  int64_t rows = 0, columns = 0;
  std::vector<Number> cells;

  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), cells(rows * columns) {}

  static Matrix identity(int64_t rows, int64_t columns);
  Matrix getAdjoint() const;
  Number &at(int64_t i, int64_t j) { return cells[i * columns + j]; }
  const Number &at(int64_t i, int64_t j) const {
    return cells[i * columns + j];
  }
};

/// Copies the named triangle, conjugated, to the other one.
void makeHermitian(Matrix &a, bool isLower);

/// Eigenvalues, and unit right and left eigenvectors as columns.
void factorEigen(const Matrix &a, std::vector<Matrix::Number> &values,
                 Matrix &right, Matrix &left);

/// How trsm reads its triangle.
struct TriangleUse {
  bool left = true, lower = true, unit = false;
  bool transposed = false, conjugated = false;
};

/// Replaces `b` by x with op(a) x = b, or x op(a) = b.
void solveTriangular(const Matrix &a, Matrix &b, TriangleUse use);

/// Solves a tridiagonal system for the columns of `b`, in place; the diagonals
/// become those of U. The status is the first zero pivot, or 0.
int64_t solveTridiagonal(std::vector<Matrix::Number> &lower,
                         std::vector<Matrix::Number> &diagonal,
                         std::vector<Matrix::Number> &upper, Matrix &b);

} // namespace partita

#endif
