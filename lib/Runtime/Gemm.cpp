// Products of matrices: OpenBLAS for large floats, else a kernel in blocks.
#include "Gemm.h"
#include "Blas.h"
#include "Dots.h"
#include "Numbers.h"
#include <algorithm>
#include <vector>

using namespace partita::runtime;

/// Sums over a block of `depth` that stays in cache, four rows at a time.
template <typename T>
static void multiplyBlock(const T *a, int64_t aRow, int64_t aColumn, const T *b,
                          int64_t bRow, T *c, int64_t cRow, int64_t rows,
                          int64_t columns, int64_t depth) {
  using W = Wide<T>;
  auto fma = [](T sum, T x, T y) {
    return T(
        combine<PARTITA_ADD, W>(W(sum), combine<PARTITA_MUL, W>(W(x), W(y))));
  };
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    T *c0 = c + i * cRow, *c1 = c0 + cRow, *c2 = c1 + cRow, *c3 = c2 + cRow;
    for (int64_t k = 0; k < depth; ++k) {
      const T *from = a + i * aRow + k * aColumn, *row = b + k * bRow;
      T a0 = from[0], a1 = from[aRow], a2 = from[2 * aRow], a3 = from[3 * aRow];
      for (int64_t j = 0; j < columns; ++j) {
        T value = row[j];
        c0[j] = fma(c0[j], a0, value);
        c1[j] = fma(c1[j], a1, value);
        c2[j] = fma(c2[j], a2, value);
        c3[j] = fma(c3[j], a3, value);
      }
    }
  }
  for (; i < rows; ++i)
    for (int64_t k = 0; k < depth; ++k) {
      T value = a[i * aRow + k * aColumn];
      for (int64_t j = 0; j < columns; ++j)
        c[i * cRow + j] = fma(c[i * cRow + j], value, b[k * bRow + j]);
    }
}

template <typename T>
static void multiplyTyped(int64_t rows, int64_t columns, int64_t depth,
                          Matrix a, Matrix b, T *c, int64_t cStride,
                          bool accumulate) {
  constexpr int64_t depthBlock = 128, columnBlock = 512;
  const T *aData = static_cast<const T *>(a.data),
          *bData = static_cast<const T *>(b.data);
  for (int64_t i = 0; i < rows && !accumulate; ++i)
    std::fill(c + i * cStride, c + i * cStride + columns, T());
  std::vector<T> packed;
  for (int64_t k = 0; k < depth; k += depthBlock)
    for (int64_t j = 0; j < columns; j += columnBlock) {
      int64_t n = std::min(columnBlock, columns - j),
              d = std::min(depthBlock, depth - k);
      const T *block = bData + k * b.rowStride + j * b.columnStride;
      int64_t blockRow = b.rowStride;
      if (b.columnStride != 1) {
        packed.resize(d * n);
        for (int64_t y = 0; y < n; ++y)
          for (int64_t x = 0; x < d; ++x)
            packed[x * n + y] = block[x * b.rowStride + y * b.columnStride];
        block = packed.data();
        blockRow = n;
      }
      multiplyBlock(aData + k * a.columnStride, a.rowStride, a.columnStride,
                    block, blockRow, c + j, cStride, rows, n, d);
    }
}

/// Each result as an inner product; for few rows or columns.
template <typename T>
static void multiplyDots(int64_t rows, int64_t columns, int64_t depth, Matrix a,
                         Matrix b, T *c, int64_t cStride, bool accumulate) {
  const T *aData = static_cast<const T *>(a.data),
          *bData = static_cast<const T *>(b.data);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      T dot = dotProduct(aData + i * a.rowStride, bData + j * b.columnStride,
                         depth);
      T &result = c[i * cStride + j];
      result = accumulate ? result + dot : dot;
    }
}

/// Transposition and leading dimension of a matrix for cblas.
static std::pair<int, int> getLayout(const Matrix &matrix) {
  return matrix.columnStride == 1 ? std::pair(111, int(matrix.rowStride))
                                  : std::pair(112, int(matrix.columnStride));
}

template <typename T, typename Gemm, typename Gemv>
static void callBlas(Gemm gemm, Gemv gemv, int64_t rows, int64_t columns,
                     int64_t depth, Matrix a, Matrix b, void *c,
                     int64_t cStride, T beta) {
  auto [aTrans, aLead] = getLayout(a);
  auto [bTrans, bLead] = getLayout(b);
  auto *x = static_cast<const T *>(a.data), *y = static_cast<const T *>(b.data);
  T *out = static_cast<T *>(c);
  // gemv takes the sizes of the matrix as it lies.
  if (columns == 1)
    gemv(101, aTrans, aTrans == 111 ? rows : depth,
         aTrans == 111 ? depth : rows, T(1), x, aLead, y, int(b.rowStride),
         beta, out, int(cStride));
  else if (rows == 1)
    gemv(101, bTrans == 111 ? 112 : 111, bTrans == 111 ? depth : columns,
         bTrans == 111 ? columns : depth, T(1), y, bLead, x,
         int(a.columnStride), beta, out, 1);
  else
    gemm(101, aTrans, bTrans, rows, columns, depth, T(1), x, aLead, y, bLead,
         beta, out, int(cStride));
}

/// cblas counts in int; leading dimensions must not be below the row's length.
static bool fitsBlas(int64_t rows, int64_t columns, int64_t depth,
                     const Matrix &a, const Matrix &b, int64_t cStride) {
  for (int64_t value : {rows, columns, depth, a.rowStride, a.columnStride,
                        b.rowStride, b.columnStride, cStride})
    if (value > INT32_MAX || value < 1)
      return false;
  auto isWide = [](const Matrix &m, int64_t r, int64_t c) {
    return m.columnStride == 1 ? m.rowStride >= c
                               : m.rowStride == 1 && m.columnStride >= r;
  };
  return isWide(a, rows, depth) && isWide(b, depth, columns) &&
         cStride >= columns;
}

/// The ways of a type that OpenBLAS knows; false if none suits.
template <typename T, typename Gemm, typename Gemv>
static bool multiplyReal(Gemm gemm, Gemv gemv, int64_t rows, int64_t columns,
                         int64_t depth, Matrix a, Matrix b, void *c,
                         int64_t cStride, bool accumulate) {
  bool areDepthsDense =
      (a.columnStride == 1 || depth == 1) && (b.rowStride == 1 || depth == 1);
  if (areDepthsDense && rows * columns <= 4) {
    multiplyDots<T>(rows, columns, depth, a, b, static_cast<T *>(c), cStride,
                    accumulate);
    return true;
  }
  if (!gemm || rows * columns * depth < 4096 ||
      !fitsBlas(rows, columns, depth, a, b, cStride))
    return false;
  callBlas<T>(gemm, gemv, rows, columns, depth, a, b, c, cStride,
              T(accumulate));
  return true;
}

void partita::runtime::multiplyMatrices(partita_dtype dtype, int64_t rows,
                                        int64_t columns, int64_t depth,
                                        Matrix a, Matrix b, void *c,
                                        int64_t cStride, bool accumulate) {
  if (rows <= 0 || columns <= 0)
    return;
  // Loaded only for products that are worth it.
  bool isLarge = rows * columns * depth >= 4096;
  if (dtype == PARTITA_F32 &&
      multiplyReal<float>(isLarge ? getBlas().sgemm : nullptr,
                          isLarge ? getBlas().sgemv : nullptr, rows, columns,
                          depth, a, b, c, cStride, accumulate))
    return;
  if (dtype == PARTITA_F64 &&
      multiplyReal<double>(isLarge ? getBlas().dgemm : nullptr,
                           isLarge ? getBlas().dgemv : nullptr, rows, columns,
                           depth, a, b, c, cStride, accumulate))
    return;
  dispatch(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (!isHalf<T>)
      multiplyTyped<T>(rows, columns, depth, a, b, static_cast<T *>(c), cStride,
                       accumulate);
  });
}
