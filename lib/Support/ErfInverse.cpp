// erf_inv of f32 as polynomials of the logarithm, one by one and eight at a
// time.
#include "partita/Support/ErfInverse.h"
#include "partita/Support/SpecialFunctions.h"
#include <algorithm>
#include <cmath>
#include <limits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Highest power first; of w - 2.5, or of sqrt(w) - 3 in the tails, where w is
// -log(1 - x x).
static constexpr int numPowers = 9;
static constexpr float middle[numPowers] = {
    2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
    -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
    -0.00417768164f,  0.246640727f,    1.50140941f};
static constexpr float tails[numPowers] = {
    -0.000200214257f, 0.000100950558f, 0.00134934322f,
    -0.00367342844f,  0.00573950773f,  -0.0076224613f,
    0.00943887047f,   1.00167406f,     2.83297682f};

float partita::erfInverseF32(float x) {
  if (!(std::fabs(x) < 1))
    return std::fabs(x) == 1 ? x * std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN();
  float w = -std::log((1 - x) * (1 + x));
  const float *coefficients = w < 5 ? middle : tails;
  w = w < 5 ? w - 2.5f : std::sqrt(w) - 3;
  float p = coefficients[0];
  for (int i = 1; i < numPowers; ++i)
    p = coefficients[i] + p * w;
  return p * x;
}

#if defined(__x86_64__)
#define PARTITA_AVX2 [[gnu::target("avx2,fma")]]

/// log of positive normal numbers: the exponent, and the series of
/// 2 atanh((m - 1) / (m + 1)) for m between the roots of 1/2 and 2.
PARTITA_AVX2 static inline __m256 logOf8(__m256 x) {
  const __m256 one = _mm256_set1_ps(1);
  __m256i bits = _mm256_castps_si256(x);
  // Bits above those of sqrt(1/2), in units of the exponent, rounded down.
  __m256i offset = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f3504f3));
  __m256i exponent = _mm256_srai_epi32(offset, 23);
  __m256 m = _mm256_castsi256_ps(
      _mm256_sub_epi32(bits, _mm256_slli_epi32(exponent, 23)));
  __m256 f = _mm256_div_ps(_mm256_sub_ps(m, one), _mm256_add_ps(m, one));
  __m256 square = _mm256_mul_ps(f, f), sum = _mm256_set1_ps(2.0f / 9);
  for (float power : {2.0f / 7, 2.0f / 5, 2.0f / 3})
    sum = _mm256_fmadd_ps(sum, square, _mm256_set1_ps(power));
  sum = _mm256_fmadd_ps(_mm256_mul_ps(sum, square), f, _mm256_add_ps(f, f));
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(exponent),
                         _mm256_set1_ps(0.693147180559945f), sum);
}

PARTITA_AVX2 static inline __m256 erfInverseOf8(__m256 x) {
  const __m256 one = _mm256_set1_ps(1), zero = _mm256_setzero_ps();
  __m256 product = _mm256_mul_ps(_mm256_sub_ps(one, x), _mm256_add_ps(one, x));
  __m256 w = _mm256_sub_ps(zero, logOf8(product));
  __m256 isMiddle = _mm256_cmp_ps(w, _mm256_set1_ps(5), _CMP_LT_OQ);
  __m256 root = _mm256_sqrt_ps(_mm256_max_ps(w, zero));
  w = _mm256_blendv_ps(_mm256_sub_ps(root, _mm256_set1_ps(3)),
                       _mm256_sub_ps(w, _mm256_set1_ps(2.5f)), isMiddle);
  __m256 p = _mm256_setzero_ps();
  for (int i = 0; i < numPowers; ++i)
    p = _mm256_fmadd_ps(p, w,
                        _mm256_blendv_ps(_mm256_set1_ps(tails[i]),
                                         _mm256_set1_ps(middle[i]), isMiddle));
  // Outside of (-1, 1): infinities at the ends, else NaN.
  __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
  const __m256 infinity =
      _mm256_set1_ps(std::numeric_limits<float>::infinity());
  const __m256 nan = _mm256_set1_ps(std::numeric_limits<float>::quiet_NaN());
  __m256 other = _mm256_blendv_ps(nan, _mm256_mul_ps(x, infinity),
                                  _mm256_cmp_ps(size, one, _CMP_EQ_OQ));
  return _mm256_blendv_ps(other, _mm256_mul_ps(p, x),
                          _mm256_cmp_ps(size, one, _CMP_LT_OQ));
}

PARTITA_AVX2 static void erfInverseWithAVX2(const float *from, float *to,
                                            int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, erfInverseOf8(_mm256_loadu_ps(from + i)));
  if (i == count)
    return;
  float rest[8] = {};
  std::copy(from + i, from + count, rest);
  _mm256_storeu_ps(rest, erfInverseOf8(_mm256_loadu_ps(rest)));
  std::copy(rest, rest + (count - i), to + i);
}
#endif

void partita::erfInverseArray(const float *from, float *to, int64_t count) {
#if defined(__x86_64__)
  static const bool isWide = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }();
  if (isWide)
    return erfInverseWithAVX2(from, to, count);
#endif
  std::transform(from, from + count, to, erfInverseF32);
}
