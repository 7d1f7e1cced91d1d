// Triangular and tridiagonal systems. (Eigenvalues are in MatrixEigen.cpp.)

#include "MatrixFactors.h"
#include <algorithm>
#include <cmath>

namespace partita {

using Number = Matrix::Number;

Matrix Matrix::identity(int64_t rows, int64_t columns) {
  Matrix result(rows, columns);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    result.at(i, i) = 1;
  return result;
}

Matrix Matrix::getAdjoint() const {
  Matrix result(columns, rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result.at(j, i) = std::conj(at(i, j));
  return result;
}

/// The size by which LAPACK compares pivots.
static double pivotSize(Number value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

static void swapRows(Matrix &a, int64_t i, int64_t j) {
  for (int64_t c = 0; c < a.columns && i != j; ++c)
    std::swap(a.at(i, c), a.at(j, c));
}

/// Solves op(a) x = b for the columns of b.
static void solveLeft(const Matrix &a, Matrix &b, TriangleUse use) {
  auto get = [&](int64_t i, int64_t j) {
    Number value = use.transposed ? a.at(j, i) : a.at(i, j);
    return use.conjugated ? std::conj(value) : value;
  };
  bool forward = use.lower != use.transposed;
  for (int64_t step = 0; step < a.rows; ++step) {
    int64_t i = forward ? step : a.rows - 1 - step;
    for (int64_t c = 0; c < b.columns; ++c) {
      Number sum = b.at(i, c);
      for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : a.rows); ++k)
        sum -= get(i, k) * b.at(k, c);
      b.at(i, c) = use.unit ? sum : sum / get(i, i);
    }
  }
}

void solveTriangular(const Matrix &a, Matrix &b, TriangleUse use) {
  if (use.left)
    return solveLeft(a, b, use);
  // x op(a) = b is op(a)^T x^T = b^T.
  Matrix turned(b.columns, b.rows);
  for (int64_t i = 0; i < b.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      turned.at(j, i) = b.at(i, j);
  use.transposed = !use.transposed;
  solveLeft(a, turned, use);
  for (int64_t i = 0; i < b.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      b.at(i, j) = turned.at(j, i);
}

int64_t solveTridiagonal(std::vector<Number> &lower,
                         std::vector<Number> &diagonal,
                         std::vector<Number> &upper, Matrix &b) {
  int64_t n = diagonal.size();
  // lower[i] is left of diagonal[i + 1]; a row exchange fills `second`.
  std::vector<Number> second(n);
  for (int64_t k = 0; k + 1 < n; ++k) {
    if (pivotSize(lower[k]) > pivotSize(diagonal[k])) {
      std::swap(diagonal[k], lower[k]);
      std::swap(upper[k], diagonal[k + 1]);
      if (k + 2 < n)
        std::swap(second[k], upper[k + 1]);
      swapRows(b, k, k + 1);
    }
    if (diagonal[k] == Number(0))
      return k + 1;
    Number factor = lower[k] / diagonal[k];
    diagonal[k + 1] -= factor * upper[k];
    if (k + 2 < n)
      upper[k + 1] -= factor * second[k];
    for (int64_t c = 0; c < b.columns; ++c)
      b.at(k + 1, c) -= factor * b.at(k, c);
    lower[k] = second[k];
  }
  if (n > 0 && diagonal[n - 1] == Number(0))
    return n;
  for (int64_t i = n - 1; i >= 0; --i)
    for (int64_t c = 0; c < b.columns; ++c) {
      Number sum = b.at(i, c);
      if (i + 1 < n)
        sum -= upper[i] * b.at(i + 1, c);
      if (i + 2 < n)
        sum -= second[i] * b.at(i + 2, c);
      b.at(i, c) = sum / diagonal[i];
    }
  return 0;
}

} // namespace partita
