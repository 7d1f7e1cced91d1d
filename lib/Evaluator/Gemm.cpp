// Blocked products: panels of the right matrix are packed, four rows of the
// left one at a time are multiplied in registers. f32 is summed in blocks of
// 256 whose sums are added in f64, so that long contractions stay accurate.
#include "Gemm.h"
#include <cstring>
#include <vector>

using namespace partita;

namespace {
constexpr int64_t kDepth = 256; // of a block along k
constexpr int64_t kRows = 4;

template <typename T, int kWidth> struct Panel {
  static constexpr int kVector = 32 / sizeof(T);
  static constexpr int kVectors = kWidth / kVector;
  typedef T Vector __attribute__((vector_size(32), aligned(8)));

  /// acc[4][kWidth] = rows (packed [depth][4]) * panel (packed
  /// [depth][kWidth]).
  static inline __attribute__((always_inline)) void
  run(const T *rows, const T *panel, int64_t depth, T *acc) {
    Vector sums[kRows][kVectors] = {};
    for (int64_t k = 0; k < depth; ++k) {
      for (int v = 0; v < kVectors; ++v) {
        Vector b = *reinterpret_cast<const Vector *>(panel + v * kVector);
        for (int r = 0; r < kRows; ++r)
          sums[r][v] += rows[r] * b;
      }
      rows += kRows;
      panel += kWidth;
    }
    std::memcpy(acc, sums, sizeof(sums));
  }
};
} // namespace

using FloatPanel = Panel<float, 16>;
using DoublePanel = Panel<double, 8>;
using IntegerPanel = Panel<uint64_t, 8>;

#if defined(__x86_64__)
#define PARTITA_WIDE __attribute__((target("avx2,fma")))
static bool hasWideVectors() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#else
#define PARTITA_WIDE
static bool hasWideVectors() { return false; }
#endif

PARTITA_WIDE static void runFloatWide(const float *rows, const float *panel,
                                      int64_t depth, float *acc) {
  FloatPanel::run(rows, panel, depth, acc);
}
PARTITA_WIDE static void runDoubleWide(const double *rows, const double *panel,
                                       int64_t depth, double *acc) {
  DoublePanel::run(rows, panel, depth, acc);
}
static void runFloat(const float *rows, const float *panel, int64_t depth,
                     float *acc) {
  FloatPanel::run(rows, panel, depth, acc);
}
static void runDouble(const double *rows, const double *panel, int64_t depth,
                      double *acc) {
  DoublePanel::run(rows, panel, depth, acc);
}
static void runInteger(const uint64_t *rows, const uint64_t *panel,
                       int64_t depth, uint64_t *acc) {
  IntegerPanel::run(rows, panel, depth, acc);
}

/// c += a * b, with `run` for four rows and one panel.
template <typename T, typename Sum, int kWidth, typename Run>
static void multiplyBlocked(const T *a, const T *b, Sum *c, int64_t m,
                            int64_t n, int64_t k, Run run) {
  int64_t rowBlocks = (m + kRows - 1) / kRows;
  std::vector<T> rows(rowBlocks * kRows * std::min(k, kDepth));
  std::vector<T> panel(kWidth * std::min(k, kDepth));
  T acc[kRows * kWidth];
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    int64_t depth = std::min(kDepth, k - k0);
    for (int64_t i = 0; i < rowBlocks * kRows; ++i) {
      T *to = rows.data() + i / kRows * kRows * depth + i % kRows;
      for (int64_t kk = 0; kk < depth; ++kk)
        to[kk * kRows] = i < m ? a[i * k + k0 + kk] : T(0);
    }
    for (int64_t j0 = 0; j0 < n; j0 += kWidth) {
      int64_t width = std::min<int64_t>(kWidth, n - j0);
      for (int64_t kk = 0; kk < depth; ++kk)
        for (int64_t j = 0; j < kWidth; ++j)
          panel[kk * kWidth + j] = j < width ? b[(k0 + kk) * n + j0 + j] : T(0);
      for (int64_t i0 = 0; i0 < m; i0 += kRows) {
        run(rows.data() + i0 * depth, panel.data(), depth, acc);
        for (int64_t r = 0; r < std::min(kRows, m - i0); ++r)
          for (int64_t j = 0; j < width; ++j)
            c[(i0 + r) * n + j0 + j] += acc[r * kWidth + j];
      }
    }
  }
}

void partita::multiplyFloat(const float *a, const float *b, double *c,
                            int64_t m, int64_t n, int64_t k) {
  multiplyBlocked<float, double, 16>(
      a, b, c, m, n, k, hasWideVectors() ? runFloatWide : runFloat);
}

void partita::multiplyDouble(const double *a, const double *b, double *c,
                             int64_t m, int64_t n, int64_t k) {
  multiplyBlocked<double, double, 8>(
      a, b, c, m, n, k, hasWideVectors() ? runDoubleWide : runDouble);
}

void partita::multiplyInteger(const int64_t *a, const int64_t *b, int64_t *c,
                              int64_t m, int64_t n, int64_t k) {
  multiplyBlocked<uint64_t, uint64_t, 8>(reinterpret_cast<const uint64_t *>(a),
                                         reinterpret_cast<const uint64_t *>(b),
                                         reinterpret_cast<uint64_t *>(c), m, n,
                                         k, runInteger);
}

//===----------------------------------------------------------------------===//
// Field
//===----------------------------------------------------------------------===//

namespace {
/// A sum of products of residues, reduced at the end.
struct WideSum {
  Field::Wide sum = 0;
  uint64_t carry = 0;
  void add(Field::Word a, Field::Word b) {
    Field::Wide product = Field::Wide(a) * b;
    sum += product;
    carry += sum < product;
  }
};
} // namespace

void partita::multiplyField(const Field::Word *a, const Field::Word *b,
                            Field::Word *c, int64_t m, int64_t n, int64_t k,
                            const Field &field) {
  constexpr int64_t kWidth = 4;
  std::vector<Field::Word> panel(kWidth * k);
  for (int64_t j0 = 0; j0 < n; j0 += kWidth) {
    int64_t width = std::min(kWidth, n - j0);
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < kWidth; ++j)
        panel[kk * kWidth + j] = j < width ? b[kk * n + j0 + j] : 0;
    for (int64_t i = 0; i < m; ++i) {
      WideSum sums[kWidth];
      const Field::Word *row = a + i * k, *p = panel.data();
      for (int64_t kk = 0; kk < k; ++kk, p += kWidth)
        for (int64_t j = 0; j < kWidth; ++j)
          sums[j].add(row[kk], p[j]);
      for (int64_t j = 0; j < width; ++j)
        c[i * n + j0 + j] = field.addFinite(
            c[i * n + j0 + j], field.reduceSum(sums[j].sum, sums[j].carry));
    }
  }
}
