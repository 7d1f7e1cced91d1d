// One loop, compiled for several processors; the choice is made once.
#include "Dots.h"

/// How far ahead the operands are asked for: the processor's own look-ahead
/// ends with each page.
static constexpr int64_t aheadBytes = 2048, lineBytes = 64;

/// Sums in `lanes` places, so that the loop is one of vectors.
template <typename T, int64_t lanes>
[[gnu::always_inline]] static inline T dotInLanes(const T *a, const T *b,
                                                  int64_t count) {
  T sums[lanes] = {};
  int64_t i = 0;
  constexpr int64_t ahead = aheadBytes / sizeof(T),
                    line = lineBytes / sizeof(T);
  for (; i + lanes <= count; i += lanes) {
    for (int64_t lane = 0; lane < lanes; lane += line) {
      __builtin_prefetch(a + i + ahead + lane);
      __builtin_prefetch(b + i + ahead + lane);
    }
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  }
  for (int64_t half = lanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  T sum = sums[0];
  for (; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

template <typename T>
static T dotAnywhere(const T *a, const T *b, int64_t count) {
  return dotInLanes<T, 64 / sizeof(T)>(a, b, count);
}

#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx2,fma")]] static T dotWithAVX2(const T *a, const T *b,
                                                 int64_t count) {
  return dotInLanes<T, 128 / sizeof(T)>(a, b, count);
}
#endif

template <typename T> static auto chooseDot() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &dotWithAVX2<T>;
#endif
  return &dotAnywhere<T>;
}

float partita::runtime::dotProduct(const float *a, const float *b,
                                   int64_t count) {
  static const auto dot = chooseDot<float>();
  return dot(a, b, count);
}

double partita::runtime::dotProduct(const double *a, const double *b,
                                    int64_t count) {
  static const auto dot = chooseDot<double>();
  return dot(a, b, count);
}
