// cholesky and triangular_solve, in double precision.
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>

using namespace partita::runtime;

template <typename N> static N conjugate(N value) {
  if constexpr (isComplex<N>)
    return std::conj(value);
  else
    return value;
}
template <typename N> static double getReal(N value) {
  if constexpr (isComplex<N>)
    return value.real();
  else
    return value;
}
template <typename N> static N times(N a, N b) {
  if constexpr (isComplex<N>)
    return multiply(a, b);
  else
    return a * b;
}

template <typename T, typename N>
static void readMatrix(const T *from, int64_t count, std::vector<N> &to) {
  to.resize(count);
  for (int64_t i = 0; i < count; ++i)
    if constexpr (isComplex<T>)
      to[i] = N(from[i].real(), from[i].imag());
    else
      to[i] = N(Wide<T>(from[i]));
}

template <typename N, typename T> static T narrow(N value) {
  if constexpr (isComplex<T>)
    return T(typename T::value_type(value.real()), typename T::value_type(value.imag()));
  else
    return T(Wide<T>(value));
}

/// Calls f(T(), N()) with the type of the numbers; false for other types.
template <typename F> static bool dispatchNumbers(partita_dtype dtype, F f) {
  return dispatch(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (isComplex<T>)
      f(type, std::complex<double>());
    else if constexpr (isFloat<T>)
      f(type, double());
    return isComplex<T> || isFloat<T>;
  });
}

/// Swaps rows and columns of [rows, columns], conjugated where asked.
template <typename N>
static std::vector<N> turn(const std::vector<N> &a, int64_t rows, int64_t columns,
                           bool isConjugated) {
  std::vector<N> result(a.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = isConjugated ? conjugate(a[i * columns + j]) : a[i * columns + j];
  return result;
}

/// The lower factor of the lower triangle, in place; all NaN if there is none.
template <typename N> static void factorCholesky(std::vector<N> &a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      N sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= times(a[i * n + k], conjugate(a[j * n + k]));
      if (j < i) {
        a[i * n + j] = sum / getReal(a[j * n + j]);
        continue;
      }
      if (!(getReal(sum) > 0)) {
        std::fill(a.begin(), a.end(), N(NAN));
        return;
      }
      a[i * n + i] = N(std::sqrt(getReal(sum)));
    }
    for (int64_t j = i + 1; j < n; ++j)
      a[i * n + j] = N();
  }
}

static std::string cholesky(Descriptor &d, void *const *buffers) {
  bool isLower = d.next() != 0;
  if (!d.isValid() || d.inputs.size() != 1 || d.outputs.size() != 1 ||
      d.inputs[0].rank() < 2 || d.outputs[0].getBytes() != d.inputs[0].getBytes())
    return "the descriptor is malformed";
  const BufferType &type = d.inputs[0];
  int64_t n = type.shape.back(), batches = n ? type.getCount() / (n * n) : 0;
  bool isDone = dispatchNumbers(type.dtype, [&](auto t, auto number) {
    using T = decltype(t);
    using N = decltype(number);
    std::vector<N> a;
    for (int64_t b = 0; b < batches; ++b) {
      readMatrix(static_cast<const T *>(buffers[0]) + b * n * n, n * n, a);
      if (!isLower)
        a = turn(a, n, n, true);
      factorCholesky(a, n);
      if (!isLower)
        a = turn(a, n, n, true);
      std::transform(a.begin(), a.end(), static_cast<T *>(buffers[1]) + b * n * n,
                     narrow<N, T>);
    }
  });
  return isDone ? "" : "needs floats or complex numbers";
}

/// Solves a x = b for b [n, m], in place; a is lower or upper.
template <typename N>
static void solve(const std::vector<N> &a, std::vector<N> &b, int64_t n, int64_t m,
                  bool isLower, bool isUnit) {
  for (int64_t step = 0; step < n; ++step) {
    int64_t i = isLower ? step : n - 1 - step;
    N *row = b.data() + i * m;
    for (int64_t k = isLower ? 0 : i + 1; k < (isLower ? i : n); ++k) {
      N factor = a[i * n + k];
      const N *other = b.data() + k * m;
      for (int64_t c = 0; c < m; ++c)
        row[c] -= times(factor, other[c]);
    }
    for (int64_t c = 0; c < m && !isUnit; ++c)
      row[c] /= a[i * n + i];
  }
}

static std::string triangularSolve(Descriptor &d, void *const *buffers) {
  bool isLeft = d.next() != 0, isLower = d.next() != 0, isUnit = d.next() != 0;
  int64_t transposition = d.next();
  if (!d.isValid() || d.inputs.size() != 2 || d.outputs.size() != 1 ||
      d.inputs[0].rank() < 2 || d.inputs[1].rank() != d.inputs[0].rank() ||
      d.inputs[0].dtype != d.inputs[1].dtype)
    return "the descriptor is malformed";
  const BufferType &type = d.inputs[1];
  int64_t n = d.inputs[0].shape.back(), size = n ? type.shape[type.rank() - 2] *
                                                       type.shape[type.rank() - 1]
                                                 : 0;
  if (size == 0)
    return "";
  if (type.shape[type.rank() - (isLeft ? 2 : 1)] != n)
    return "the matrices' sizes do not fit";
  int64_t m = size / n;
  // x op(a) = b is op(a)^T x^T = b^T.
  bool isTurned = (transposition != 0) == isLeft;
  bool isConjugated = transposition == 2;
  bool isDone = dispatchNumbers(type.dtype, [&](auto t, auto number) {
    using T = decltype(t);
    using N = decltype(number);
    std::vector<N> a, b;
    for (int64_t i = 0; i < type.getCount() / size; ++i) {
      readMatrix(static_cast<const T *>(buffers[0]) + i * n * n, n * n, a);
      readMatrix(static_cast<const T *>(buffers[1]) + i * size, size, b);
      if (isConjugated)
        for (N &value : a)
          value = conjugate(value);
      if (isTurned)
        a = turn(a, n, n, false);
      if (!isLeft)
        b = turn(b, m, n, false);
      solve(a, b, n, m, isLower != isTurned, isUnit);
      if (!isLeft)
        b = turn(b, n, m, false);
      std::transform(b.begin(), b.end(), static_cast<T *>(buffers[2]) + i * size,
                     narrow<N, T>);
    }
  });
  return isDone ? "" : "needs floats or complex numbers";
}

PARTITA_KERNEL(cholesky, cholesky)
PARTITA_KERNEL(triangular_solve, triangularSolve)
