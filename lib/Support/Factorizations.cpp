// Factorizations in the plain order of their definitions.
#include "Factorizations.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace partita;
using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;

//===----------------------------------------------------------------------===//
// Cholesky and eigenvalues
//===----------------------------------------------------------------------===//

/// Copies the named triangle to the other one.
static void makeHermitian(Matrix &a, int64_t n, bool isLower) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (isLower)
        a[j * n + i] = std::conj(a[i * n + j]);
      else
        a[i * n + j] = std::conj(a[j * n + i]);
}

/// The lower factor, in place; all NaN and false if there is none.
static bool factorCholesky(Matrix &a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= a[i * n + k] * std::conj(a[j * n + k]);
      if (j < i) {
        a[i * n + j] = sum / a[j * n + j].real();
        continue;
      }
      if (!(sum.real() > 0)) {
        std::fill(a.begin(), a.end(), Complex(NAN));
        return false;
      }
      a[i * n + i] = std::sqrt(sum.real());
    }
    for (int64_t j = i + 1; j < n; ++j)
      a[i * n + j] = 0;
  }
  return true;
}

static Matrix getAdjoint(const Matrix &a, int64_t rows, int64_t columns) {
  Matrix result(a.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = std::conj(a[i * columns + j]);
  return result;
}

/// Rotates a Hermitian matrix in the plane (p, q) so that entry (p, q) is zero,
/// and the vectors (columns) with it.
static void rotatePlane(Matrix &a, Matrix &vectors, int64_t n, int64_t p,
                        int64_t q) {
  double size = std::abs(a[p * n + q]);
  if (size < 1e-300)
    return;
  Complex phase = a[p * n + q] / size; // turns the entry real
  double theta =
      0.5 * std::atan2(2 * size, a[q * n + q].real() - a[p * n + p].real());
  double c = std::cos(theta), s = std::sin(theta);
  for (int64_t k = 0; k < n; ++k)
    for (Matrix *columns : {&a, &vectors}) {
      Complex x = (*columns)[k * n + p];
      Complex y = (*columns)[k * n + q] * std::conj(phase);
      (*columns)[k * n + p] = c * x - s * y;
      (*columns)[k * n + q] = s * x + c * y;
    }
  for (int64_t k = 0; k < n; ++k) {
    Complex x = a[p * n + k], y = a[q * n + k] * phase;
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
}

/// The factor that makes the largest entry of a column positive.
static Complex getTurn(const Matrix &vectors, int64_t n, int64_t column) {
  int64_t largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (std::abs(vectors[i * n + column]) >
        std::abs(vectors[largest * n + column]) * (1 + 1e-9))
      largest = i;
  Complex head = vectors[largest * n + column];
  return head == Complex(0) ? Complex(1) : std::conj(head) / std::abs(head);
}

/// Eigenvalues and vectors (columns) by Jacobi rotations, ascending.
static void factorHermitian(Matrix &a, Matrix &values, Matrix &vectors,
                            int64_t n) {
  vectors.assign(n * n, 0);
  for (int64_t i = 0; i < n; ++i)
    vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        off += std::norm(a[p * n + q]);
    if (off < 1e-300)
      break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        rotatePlane(a, vectors, n, p, q);
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    double x = a[i * n + i].real(), y = a[j * n + j].real();
    return x != y ? x < y : i < j;
  });
  Matrix sorted(n * n);
  values.resize(n);
  for (int64_t j = 0; j < n; ++j) {
    values[j] = a[order[j] * n + order[j]].real();
    Complex turn = getTurn(vectors, n, order[j]);
    for (int64_t i = 0; i < n; ++i)
      sorted[i * n + j] = vectors[i * n + order[j]] * turn;
  }
  vectors = std::move(sorted);
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// Row exchanges by the largest entry; returns the status.
static int64_t factorLU(Matrix &a, int64_t m, int64_t n, Matrix &pivots) {
  int64_t status = 0;
  // LAPACK measures complex numbers by the sum of their parts.
  auto size = [](Complex z) { return std::abs(z.real()) + std::abs(z.imag()); };
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < m; ++i)
      if (size(a[i * n + k]) > size(a[pivot * n + k]))
        pivot = i;
    pivots[k] = double(pivot + 1);
    if (a[pivot * n + k] == Complex(0)) {
      if (!status)
        status = k + 1;
      continue;
    }
    if (pivot != k)
      std::swap_ranges(a.begin() + k * n, a.begin() + (k + 1) * n,
                       a.begin() + pivot * n);
    for (int64_t i = k + 1; i < m; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

/// Turns columns p and q of u [m, n] orthogonal, and those of v with them;
/// false if they are.
static bool rotateColumns(Matrix &u, Matrix &v, int64_t m, int64_t n, int64_t p,
                          int64_t q) {
  double alpha = 0, beta = 0;
  Complex gamma = 0;
  for (int64_t i = 0; i < m; ++i) {
    alpha += std::norm(u[i * n + p]);
    beta += std::norm(u[i * n + q]);
    gamma += std::conj(u[i * n + p]) * u[i * n + q];
  }
  double size = std::abs(gamma);
  if (size <= 1e-15 * std::sqrt(alpha * beta) || size < 1e-300)
    return false;
  Complex phase = gamma / size;
  double zeta = (beta - alpha) / (2 * size);
  double t =
      std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  double c = 1 / std::sqrt(1 + t * t), s = c * t;
  auto turn = [&](Matrix &columns, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      Complex x = columns[i * n + p];
      Complex y = columns[i * n + q] * std::conj(phase);
      columns[i * n + p] = c * x - s * y;
      columns[i * n + q] = s * x + c * y;
    }
  };
  turn(u, m);
  turn(v, n);
  return true;
}

/// Fills columns [from, to) of u, of `width` columns, so that all are
/// orthonormal.
static void completeBasis(Matrix &u, int64_t m, int64_t width, int64_t from) {
  int64_t next = 0;
  for (int64_t column = from; column < width; ++column)
    for (bool found = false; !found && next < m; ++next) {
      Matrix candidate(m);
      candidate[next] = 1;
      for (int round = 0; round < 2; ++round)
        for (int64_t c = 0; c < column; ++c) {
          Complex dot = 0;
          for (int64_t i = 0; i < m; ++i)
            dot += std::conj(u[i * width + c]) * candidate[i];
          for (int64_t i = 0; i < m; ++i)
            candidate[i] -= dot * u[i * width + c];
        }
      double norm = 0;
      for (Complex z : candidate)
        norm += std::norm(z);
      found = norm > 1e-4;
      for (int64_t i = 0; found && i < m; ++i)
        u[i * width + column] = candidate[i] / std::sqrt(norm);
    }
}

/// a = u s v^H for m >= n by one-sided Jacobi rotations, descending. `u` gets
/// `width` columns, v is [n, n].
static void factorSingular(const Matrix &a, int64_t m, int64_t n, Matrix &u,
                           int64_t width, Matrix &values, Matrix &v) {
  Matrix work = a, turned(n * n);
  for (int64_t i = 0; i < n; ++i)
    turned[i * n + i] = 1;
  bool isMoving = true;
  for (int sweep = 0; sweep < 60 && isMoving; ++sweep) {
    isMoving = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        isMoving |= rotateColumns(work, turned, m, n, p, q);
  }
  std::vector<double> sizes(n, 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      sizes[j] += std::norm(work[i * n + j]);
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return sizes[i] != sizes[j] ? sizes[i] > sizes[j] : i < j;
  });
  u.assign(m * width, 0);
  v.assign(n * n, 0);
  values.assign(n, 0);
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    double size = std::sqrt(sizes[order[j]]);
    values[j] = size;
    for (int64_t i = 0; i < n; ++i)
      v[i * n + j] = turned[i * n + order[j]];
    if (size <= 1e-14 * values[0].real() || size == 0)
      continue;
    rank = j + 1;
    for (int64_t i = 0; i < m; ++i)
      u[i * width + j] = work[i * n + order[j]] / size;
  }
  completeBasis(u, m, width, rank);
}

static bool runSingular(const LapackArray &a, std::vector<LapackArray> &out) {
  int64_t m = a.shape[0], n = a.shape[1];
  if (out.size() < 4 || out[2].shape.size() != 2 || out[3].shape.size() != 2)
    return false;
  bool isTall = m >= n;
  // A wide matrix is the adjoint of a tall one.
  Matrix tall = isTall ? a.values : getAdjoint(a.values, m, n);
  int64_t rows = std::max(m, n), columns = std::min(m, n);
  int64_t width = isTall ? out[2].shape[1] : out[3].shape[0];
  int64_t depth = isTall ? out[3].shape[0] : out[2].shape[1];
  if (width < columns || width > rows || depth != columns)
    return false;
  Matrix u, v;
  factorSingular(tall, rows, columns, u, width, out[1].values, v);
  out[0].values = a.values;
  out[2].values = isTall ? u : v;
  out[3].values =
      isTall ? getAdjoint(v, columns, columns) : getAdjoint(u, rows, width);
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool partita::runFactorization(LapackRoutine routine, bool isLower,
                               const std::vector<LapackArray> &inputs,
                               std::vector<LapackArray> &outputs) {
  if (inputs.empty() || outputs.empty() || inputs[0].shape.size() != 2)
    return false;
  int64_t m = inputs[0].shape[0], n = inputs[0].shape[1];
  Matrix a = inputs[0].values;
  auto setStatus = [&](size_t index, int64_t status) {
    if (index < outputs.size())
      outputs[index].values = {double(status)};
  };
  bool isSquare =
      routine == LapackRoutine::Potrf || routine == LapackRoutine::Syevd;
  bool hasPair = routine != LapackRoutine::Potrf;
  if ((isSquare && m != n) || (hasPair && outputs.size() < 2))
    return false;
  switch (routine) {
  case LapackRoutine::Potrf: {
    makeHermitian(a, n, isLower);
    bool works = factorCholesky(a, n);
    outputs[0].values = isLower ? a : getAdjoint(a, n, n);
    // The other triangle stays as it came in.
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (isLower ? j > i : j < i)
          outputs[0].values[i * n + j] = inputs[0].values[i * n + j];
    setStatus(1, !works);
    return true;
  }
  case LapackRoutine::Syevd:
    makeHermitian(a, n, isLower);
    factorHermitian(a, outputs[1].values, outputs[0].values, n);
    setStatus(2, 0);
    return true;
  case LapackRoutine::Getrf:
    outputs[1].values.assign(std::min(m, n), 0);
    setStatus(2, factorLU(a, m, n, outputs[1].values));
    outputs[0].values = a;
    return true;
  case LapackRoutine::Gesdd:
    setStatus(4, 0);
    return runSingular(inputs[0], outputs);
  default:
    return false;
  }
}
