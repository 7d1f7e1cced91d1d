// Factorizations in the plain order of their definitions.
#include "Factorizations.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace partita;
using Complex = std::complex<double>;
using Numbers = std::vector<Complex>;

//===----------------------------------------------------------------------===//
// Cholesky and eigenvalues
//===----------------------------------------------------------------------===//

void partita::makeHermitian(Matrix &a, bool isLower) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (isLower)
        a.at(j, i) = std::conj(a.at(i, j));
      else
        a.at(i, j) = std::conj(a.at(j, i));
}

/// The lower factor, in place; all NaN and false if there is none.
static bool factorCholesky(Matrix &a) {
  int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex sum = a.at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a.at(i, k) * std::conj(a.at(j, k));
      if (j < i) {
        a.at(i, j) = sum / a.at(j, j).real();
        continue;
      }
      if (!(sum.real() > 0)) {
        std::fill(a.cells.begin(), a.cells.end(), Complex(NAN));
        return false;
      }
      a.at(i, i) = std::sqrt(sum.real());
    }
    for (int64_t j = i + 1; j < n; ++j)
      a.at(i, j) = 0;
  }
  return true;
}

/// Rotates a Hermitian matrix in the plane (p, q) so that entry (p, q) is zero,
/// and the vectors (columns) with it.
static void rotatePlane(Matrix &a, Matrix &vectors, int64_t p, int64_t q) {
  int64_t n = a.rows;
  double size = std::abs(a.at(p, q));
  if (size < 1e-300)
    return;
  Complex phase = a.at(p, q) / size; // turns the entry real
  double theta =
      0.5 * std::atan2(2 * size, a.at(q, q).real() - a.at(p, p).real());
  double c = std::cos(theta), s = std::sin(theta);
  for (int64_t k = 0; k < n; ++k)
    for (Matrix *columns : {&a, &vectors}) {
      Complex x = columns->at(k, p);
      Complex y = columns->at(k, q) * std::conj(phase);
      columns->at(k, p) = c * x - s * y;
      columns->at(k, q) = s * x + c * y;
    }
  for (int64_t k = 0; k < n; ++k) {
    Complex x = a.at(p, k), y = a.at(q, k) * phase;
    a.at(p, k) = c * x - s * y;
    a.at(q, k) = s * x + c * y;
  }
}

/// The factor that makes the largest entry of a column positive.
static Complex getTurn(const Matrix &vectors, int64_t column) {
  int64_t largest = 0;
  for (int64_t i = 0; i < vectors.rows; ++i)
    if (std::abs(vectors.at(i, column)) >
        std::abs(vectors.at(largest, column)) * (1 + 1e-9))
      largest = i;
  Complex head = vectors.at(largest, column);
  return head == Complex(0) ? Complex(1) : std::conj(head) / std::abs(head);
}

/// Eigenvalues and vectors (columns) by Jacobi rotations, ascending.
static void factorHermitian(Matrix &a, Numbers &values, Matrix &vectors) {
  int64_t n = a.rows;
  vectors = Matrix::identity(n, n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        off += std::norm(a.at(p, q));
    if (off < 1e-300)
      break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        rotatePlane(a, vectors, p, q);
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    double x = a.at(i, i).real(), y = a.at(j, j).real();
    return x != y ? x < y : i < j;
  });
  Matrix sorted(n, n);
  values.resize(n);
  for (int64_t j = 0; j < n; ++j) {
    values[j] = a.at(order[j], order[j]).real();
    Complex turn = getTurn(vectors, order[j]);
    for (int64_t i = 0; i < n; ++i)
      sorted.at(i, j) = vectors.at(i, order[j]) * turn;
  }
  vectors = std::move(sorted);
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// Row exchanges by the largest entry; returns the status.
static int64_t factorLU(Matrix &a, Numbers &pivots) {
  int64_t m = a.rows, n = a.columns, status = 0;
  // LAPACK measures complex numbers by the sum of their parts.
  auto size = [](Complex z) { return std::abs(z.real()) + std::abs(z.imag()); };
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < m; ++i)
      if (size(a.at(i, k)) > size(a.at(pivot, k)))
        pivot = i;
    pivots[k] = double(pivot + 1);
    if (a.at(pivot, k) == Complex(0)) {
      if (!status)
        status = k + 1;
      continue;
    }
    if (pivot != k)
      std::swap_ranges(&a.at(k, 0), &a.at(k, 0) + n, &a.at(pivot, 0));
    for (int64_t i = k + 1; i < m; ++i) {
      a.at(i, k) /= a.at(k, k);
      for (int64_t j = k + 1; j < n; ++j)
        a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

/// Turns columns p and q of u [m, n] orthogonal, and those of v with them;
/// false if they are.
static bool rotateColumns(Matrix &u, Matrix &v, int64_t p, int64_t q) {
  double alpha = 0, beta = 0;
  Complex gamma = 0;
  for (int64_t i = 0; i < u.rows; ++i) {
    alpha += std::norm(u.at(i, p));
    beta += std::norm(u.at(i, q));
    gamma += std::conj(u.at(i, p)) * u.at(i, q);
  }
  double size = std::abs(gamma);
  if (size <= 1e-15 * std::sqrt(alpha * beta) || size < 1e-300)
    return false;
  Complex phase = gamma / size;
  double zeta = (beta - alpha) / (2 * size);
  double t =
      std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  double c = 1 / std::sqrt(1 + t * t), s = c * t;
  auto turn = [&](Matrix &columns) {
    for (int64_t i = 0; i < columns.rows; ++i) {
      Complex x = columns.at(i, p);
      Complex y = columns.at(i, q) * std::conj(phase);
      columns.at(i, p) = c * x - s * y;
      columns.at(i, q) = s * x + c * y;
    }
  };
  turn(u);
  turn(v);
  return true;
}

/// Fills the columns of u from `from` on so that all are orthonormal.
static void completeBasis(Matrix &u, int64_t from) {
  int64_t m = u.rows, next = 0;
  for (int64_t column = from; column < u.columns; ++column)
    for (bool found = false; !found && next < m; ++next) {
      Numbers candidate(m);
      candidate[next] = 1;
      for (int round = 0; round < 2; ++round)
        for (int64_t c = 0; c < column; ++c) {
          Complex dot = 0;
          for (int64_t i = 0; i < m; ++i)
            dot += std::conj(u.at(i, c)) * candidate[i];
          for (int64_t i = 0; i < m; ++i)
            candidate[i] -= dot * u.at(i, c);
        }
      double norm = 0;
      for (Complex z : candidate)
        norm += std::norm(z);
      found = norm > 1e-4;
      for (int64_t i = 0; found && i < m; ++i)
        u.at(i, column) = candidate[i] / std::sqrt(norm);
    }
}

/// a = u s v^H for a of at least as many rows as columns, by one-sided Jacobi
/// rotations, descending. `u` gets `width` columns.
static void factorSingular(const Matrix &a, Matrix &u, int64_t width,
                           Numbers &values, Matrix &v) {
  int64_t m = a.rows, n = a.columns;
  Matrix work = a, turned = Matrix::identity(n, n);
  bool isMoving = true;
  for (int sweep = 0; sweep < 60 && isMoving; ++sweep) {
    isMoving = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        isMoving |= rotateColumns(work, turned, p, q);
  }
  std::vector<double> sizes(n, 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      sizes[j] += std::norm(work.at(i, j));
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return sizes[i] != sizes[j] ? sizes[i] > sizes[j] : i < j;
  });
  u = Matrix(m, width);
  v = Matrix(n, n);
  values.assign(n, 0);
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    double size = std::sqrt(sizes[order[j]]);
    values[j] = size;
    for (int64_t i = 0; i < n; ++i)
      v.at(i, j) = turned.at(i, order[j]);
    if (size <= 1e-14 * values[0].real() || size == 0)
      continue;
    rank = j + 1;
    for (int64_t i = 0; i < m; ++i)
      u.at(i, j) = work.at(i, order[j]) / size;
  }
  completeBasis(u, rank);
}

static bool runSingular(const LapackArray &a, std::vector<LapackArray> &out) {
  int64_t m = a.shape[0], n = a.shape[1];
  if (out.size() < 4 || out[2].shape.size() != 2 || out[3].shape.size() != 2)
    return false;
  bool isTall = m >= n;
  // A wide matrix is the adjoint of a tall one.
  Matrix tall = isTall ? makeMatrix(a) : makeMatrix(a).getAdjoint();
  int64_t rows = std::max(m, n), columns = std::min(m, n);
  int64_t width = isTall ? out[2].shape[1] : out[3].shape[0];
  int64_t depth = isTall ? out[3].shape[0] : out[2].shape[1];
  if (width < columns || width > rows || depth != columns)
    return false;
  Matrix u, v;
  factorSingular(tall, u, width, out[1].values, v);
  out[0].values = a.values;
  out[2].values = (isTall ? u : v).cells;
  out[3].values = (isTall ? v : u).getAdjoint().cells;
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool partita::runFactorization(LapackRoutine routine, bool isLower,
                               const std::vector<LapackArray> &inputs,
                               std::vector<LapackArray> &outputs) {
  Matrix a = makeMatrix(inputs[0]);
  auto setStatus = [&](size_t index, int64_t status) {
    if (index < outputs.size())
      outputs[index].values = {double(status)};
  };
  bool isSquare =
      routine == LapackRoutine::Potrf || routine == LapackRoutine::Syevd;
  bool hasPair = routine != LapackRoutine::Potrf;
  if ((isSquare && a.rows != a.columns) || (hasPair && outputs.size() < 2))
    return false;
  switch (routine) {
  case LapackRoutine::Potrf: {
    Matrix given = a;
    makeHermitian(a, isLower);
    setStatus(1, !factorCholesky(a));
    Matrix factor = isLower ? a : a.getAdjoint();
    // The other triangle stays as it came in.
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.rows; ++j)
        if (isLower ? j > i : j < i)
          factor.at(i, j) = given.at(i, j);
    outputs[0].values = factor.cells;
    return true;
  }
  case LapackRoutine::Syevd: {
    Matrix vectors;
    makeHermitian(a, isLower);
    factorHermitian(a, outputs[1].values, vectors);
    outputs[0].values = vectors.cells;
    setStatus(2, 0);
    return true;
  }
  case LapackRoutine::Getrf:
    outputs[1].values.assign(std::min(a.rows, a.columns), 0);
    setStatus(2, factorLU(a, outputs[1].values));
    outputs[0].values = a.cells;
    return true;
  case LapackRoutine::Gesdd:
    setStatus(4, 0);
    return runSingular(inputs[0], outputs);
  default:
    return false;
  }
}
