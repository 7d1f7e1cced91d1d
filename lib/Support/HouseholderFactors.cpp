// QR and the forms that reflections lead to, with LAPACK's signs: H = I - tau v
// v^H, v one at its head.
#include "Factorizations.h"
#include <algorithm>
#include <cmath>

using namespace partita;
using Number = Matrix::Number;
using Arrays = std::vector<LapackArray>;

namespace {

struct Reflection {
  /// From `first` on; before it, zeros are left out.
  int64_t first = 0;
  std::vector<Number> v;
  Number tau = 0;
};

} // namespace

/// The reflection that turns x into (beta, 0, ...), which is left in x's place:
/// beta, then the tail of v.
static Reflection makeReflection(std::vector<Number> &x, int64_t first) {
  double below = 0;
  for (size_t i = 1; i < x.size(); ++i)
    below += std::norm(x[i]);
  Reflection h{first, x, 0};
  h.v[0] = 1;
  Number head = x[0];
  if (below == 0 && head.imag() == 0)
    return h;
  double beta = -std::copysign(std::sqrt(std::norm(head) + below), head.real());
  h.tau = Number((beta - head.real()) / beta, -head.imag() / beta);
  for (size_t i = 1; i < x.size(); ++i)
    x[i] = h.v[i] = x[i] / (head - beta);
  x[0] = beta;
  return h;
}

/// Columns from `from` on of H a, with `tau` in the place of H's own.
static void reflectRows(Matrix &a, const Reflection &h, Number tau,
                        int64_t from) {
  for (int64_t j = from; j < a.columns; ++j) {
    Number sum = 0;
    for (size_t i = 0; i < h.v.size(); ++i)
      sum += std::conj(h.v[i]) * a.at(h.first + i, j);
    for (size_t i = 0; i < h.v.size(); ++i)
      a.at(h.first + i, j) -= tau * h.v[i] * sum;
  }
}

/// a H.
static void reflectColumns(Matrix &a, const Reflection &h) {
  for (int64_t i = 0; i < a.rows; ++i) {
    Number sum = 0;
    for (size_t j = 0; j < h.v.size(); ++j)
      sum += a.at(i, h.first + j) * h.v[j];
    for (size_t j = 0; j < h.v.size(); ++j)
      a.at(i, h.first + j) -= h.tau * sum * std::conj(h.v[j]);
  }
}

static std::vector<Number> getColumn(const Matrix &a, int64_t column,
                                     int64_t from) {
  std::vector<Number> x;
  for (int64_t i = from; i < a.rows; ++i)
    x.push_back(a.at(i, column));
  return x;
}

static void setColumn(Matrix &a, int64_t column, int64_t from,
                      const std::vector<Number> &x) {
  for (size_t i = 0; i < x.size(); ++i)
    a.at(from + i, column) = x[i];
}

//===----------------------------------------------------------------------===//
// QR
//===----------------------------------------------------------------------===//

/// Row k of R and the reflection below it.
static void reflectStep(Matrix &a, int64_t k, std::vector<Number> &scales) {
  std::vector<Number> x = getColumn(a, k, k);
  Reflection h = makeReflection(x, k);
  setColumn(a, k, k, x);
  scales[k] = h.tau;
  reflectRows(a, h, std::conj(h.tau), k + 1);
}

static void swapColumns(Matrix &a, int64_t i, int64_t j) {
  for (int64_t row = 0; row < a.rows; ++row)
    std::swap(a.at(row, i), a.at(row, j));
}

/// The first of the columns from k on that are longest from row k on.
static int64_t findLongest(const Matrix &a, int64_t k) {
  int64_t longest = k;
  double most = 0;
  for (int64_t j = k; j < a.columns; ++j) {
    double length = 0;
    for (int64_t i = k; i < a.rows; ++i)
      length += std::norm(a.at(i, j));
    if (j == k || length > most) {
      longest = j;
      most = length;
    }
  }
  return longest;
}

/// Columns with a pivot go to the front; the others are taken by the length of
/// what is left of them. `pivots` becomes their order, from 1.
static void factorPivotedQR(Matrix &a, std::vector<Number> &pivots,
                            std::vector<Number> &scales) {
  int64_t fixed = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    bool isFixed = pivots[j] != Number(0);
    pivots[j] = double(j + 1);
    if (!isFixed)
      continue;
    swapColumns(a, j, fixed);
    std::swap(pivots[j], pivots[fixed++]);
  }
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    if (k >= fixed) {
      int64_t longest = findLongest(a, k);
      swapColumns(a, k, longest);
      std::swap(pivots[k], pivots[longest]);
    }
    reflectStep(a, k, scales);
  }
}

/// Reflection k of those below the diagonal of `a`.
static Reflection getReflection(const Matrix &a, int64_t k, Number tau) {
  Reflection h{k, getColumn(a, k, k), tau};
  h.v[0] = 1;
  return h;
}

/// q c, or q^H c, for the product q of the reflections.
static void multiplyLeft(const Matrix &reflectors,
                         const std::vector<Number> &scales, bool isAdjoint,
                         Matrix &c) {
  int64_t count = scales.size();
  for (int64_t step = 0; step < count; ++step) {
    int64_t k = isAdjoint ? step : count - 1 - step;
    Reflection h = getReflection(reflectors, k, scales[k]);
    reflectRows(c, h, isAdjoint ? std::conj(h.tau) : h.tau, 0);
  }
}

static bool runMultiply(const LapackOptions &options, const Matrix &a,
                        const Arrays &inputs, Arrays &outputs) {
  const std::vector<Number> &scales = inputs[1].values;
  Matrix c = makeMatrix(inputs[2]);
  if (a.rows != (options.isLeft ? c.rows : c.columns) ||
      int64_t(scales.size()) > std::min(a.rows, a.columns))
    return false;
  // c q is the adjoint of q^H c^H.
  Matrix turned = options.isLeft ? c : c.getAdjoint();
  multiplyLeft(a, scales, options.isTransposed == options.isLeft, turned);
  outputs[0].values = (options.isLeft ? turned : turned.getAdjoint()).cells;
  return true;
}

//===----------------------------------------------------------------------===//
// Forms that are similar
//===----------------------------------------------------------------------===//

/// Hessenberg form and the reflections below it.
static void factorHessenberg(Matrix &a, std::vector<Number> &scales) {
  for (int64_t k = 0; k + 1 < a.rows; ++k) {
    std::vector<Number> x = getColumn(a, k, k + 1);
    Reflection h = makeReflection(x, k + 1);
    setColumn(a, k, k + 1, x);
    scales[k] = h.tau;
    reflectColumns(a, h);
    reflectRows(a, h, std::conj(h.tau), k + 1);
  }
}

/// Tridiagonal form of a Hermitian matrix, and the reflections in the lower
/// triangle; the upper one is left alone.
static void factorTridiagonal(Matrix &a, std::vector<Number> &diagonal,
                              std::vector<Number> &beside,
                              std::vector<Number> &scales) {
  int64_t n = a.rows;
  Matrix work = a;
  makeHermitian(work, /*isLower=*/true);
  for (int64_t k = 0; k + 1 < n; ++k) {
    std::vector<Number> x = getColumn(work, k, k + 1);
    Reflection h = makeReflection(x, k + 1);
    setColumn(a, k, k + 1, x);
    beside[k] = x[0].real();
    scales[k] = h.tau;
    reflectColumns(work, h);
    reflectRows(work, h, std::conj(h.tau), 0);
  }
  for (int64_t i = 0; i < n; ++i)
    diagonal[i] = a.at(i, i) = work.at(i, i).real();
}

/// The order of rows and columns turned round.
static Matrix flip(const Matrix &a) {
  Matrix result(a.rows, a.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      result.at(a.rows - 1 - i, a.columns - 1 - j) = a.at(i, j);
  return result;
}

static bool runTridiagonalForm(bool isLower, Matrix a, Arrays &outputs) {
  if (a.rows != a.columns || a.rows == 0 || outputs.size() < 4)
    return false;
  size_t n = a.rows;
  std::vector<Number> diagonal(n), beside(n - 1), scales(n - 1);
  // From the upper triangle LAPACK goes from the last column to the first: the
  // same with all orders turned round.
  Matrix work = isLower ? a : flip(a);
  factorTridiagonal(work, diagonal, beside, scales);
  if (!isLower) {
    work = flip(work);
    for (auto *list : {&diagonal, &beside, &scales})
      std::reverse(list->begin(), list->end());
  }
  outputs[0].values = work.cells;
  outputs[1].values = diagonal;
  outputs[2].values = beside;
  outputs[3].values = scales;
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool partita::runHouseholder(LapackRoutine routine,
                             const LapackOptions &options, const Arrays &inputs,
                             Arrays &outputs) {
  Matrix a = makeMatrix(inputs[0]);
  size_t count = std::min(a.rows, a.columns);
  // What a factorization in place leaves: the matrix, and scales in `index`.
  auto finish = [&](size_t index, std::vector<Number> scales) {
    if (outputs.size() <= index)
      return false;
    outputs[0].values = a.cells;
    outputs[index].values = std::move(scales);
    return true;
  };
  std::vector<Number> scales(count);
  switch (routine) {
  case LapackRoutine::Geqrf:
    for (size_t k = 0; k < count; ++k)
      reflectStep(a, k, scales);
    return finish(1, scales);
  case LapackRoutine::Geqp3: {
    std::vector<Number> pivots = inputs[1].values;
    if (int64_t(pivots.size()) != a.columns || outputs.size() < 3)
      return false;
    factorPivotedQR(a, pivots, scales);
    outputs[1].values = pivots;
    return finish(2, scales);
  }
  case LapackRoutine::Orgqr: {
    if (inputs[1].values.size() > count)
      return false;
    Matrix q = Matrix::identity(a.rows, a.columns);
    multiplyLeft(a, inputs[1].values, /*isAdjoint=*/false, q);
    outputs[0].values = q.cells;
    return true;
  }
  case LapackRoutine::Ormqr:
    return runMultiply(options, a, inputs, outputs);
  case LapackRoutine::Gehrd:
    if (a.rows != a.columns || a.rows == 0)
      return false;
    scales.pop_back();
    factorHessenberg(a, scales);
    return finish(1, scales);
  case LapackRoutine::Sytrd:
    return runTridiagonalForm(options.isLower, a, outputs);
  default:
    return false;
  }
}
