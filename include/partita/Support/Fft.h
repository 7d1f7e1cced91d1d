// Discrete Fourier transforms of any length over any numbers, by recursion over
// the prime factors of the length.
#ifndef PARTITA_SUPPORT_FFT_H
#define PARTITA_SUPPORT_FFT_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace partita {

/// exp(-2 pi i k / n) for all k.
inline std::vector<std::complex<double>> makeFftTwiddles(int64_t n) {
  std::vector<std::complex<double>> twiddles;
  for (int64_t k = 0; k < n; ++k) {
    double angle = -2 * 3.14159265358979323846 * double(k) / double(n);
    twiddles.push_back({std::cos(angle), std::sin(angle)});
  }
  return twiddles;
}

/// Complex numbers in double precision, as FftPlan wants its numbers.
struct FftNumbers {
  using Number = std::complex<double>;
  using Twiddle = std::complex<double>;
  static Number add(Number a, Number b) { return a + b; }
  static Number sub(Number a, Number b) { return a - b; }
  /// Without the checks for infinities of std::complex.
  static Number mul(Number a, Twiddle b) {
    return {a.real() * b.real() - a.imag() * b.imag(),
            a.real() * b.imag() + a.imag() * b.real()};
  }
  static std::vector<Twiddle> getTwiddles(int64_t n) {
    return makeFftTwiddles(n);
  }
};

/// Forward transforms of one length. `Numbers` has Number (a value or several
/// that are transformed side by side), Twiddle, add, sub, mul and getTwiddles.
/// Not to be shared among threads.
template <typename Numbers> class FftPlan {
public:
  using Number = typename Numbers::Number;

  FftPlan(Numbers numbers, int64_t n)
      : numbers(numbers), size(n), twiddles(numbers.getTwiddles(n)) {
    for (int64_t rest = n; rest > 1; rest /= factors.back())
      factors.push_back(getFactor(rest));
    if (!factors.empty())
      column.resize(factors.back());
  }

  int64_t getSize() const { return size; }

  /// out = transform of in; both have `size` numbers and do not overlap.
  void run(const Number *in, Number *out) {
    transform(in, 1, out, size, factors.data());
  }

private:
  /// 4, else the smallest prime factor; the largest prime comes last.
  static int64_t getFactor(int64_t n) {
    if (n % 4 == 0)
      return 4;
    for (int64_t f = 2; f * f <= n; ++f)
      if (n % f == 0)
        return f;
    return n;
  }

  /// out = transform of in[0], in[stride], ... (n of them), where n is the
  /// product of the factors from `factor` on.
  void transform(const Number *in, int64_t stride, Number *out, int64_t n,
                 const int64_t *factor) {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    int64_t radix = *factor, part = n / radix, step = size / n;
    for (int64_t r = 0; r < radix; ++r)
      transform(in + r * stride, stride * radix, out + r * part, part,
                factor + 1);
    if (radix == 2)
      return combinePairs(out, part, step);
    if (radix == 4)
      return combineFours(out, part, step);
    // out[q part + k] = sum over r of w^(r (q part + k)) part_r[k].
    for (int64_t k = 0; k < part; ++k) {
      for (int64_t r = 0; r < radix; ++r)
        column[r] = out[r * part + k];
      for (int64_t q = 0; q < radix; ++q) {
        int64_t advance = (q * part + k) * step, at = 0;
        Number sum = column[0];
        for (int64_t r = 1; r < radix; ++r) {
          at += advance;
          if (at >= size)
            at -= size;
          sum = numbers.add(sum, numbers.mul(column[r], twiddles[at]));
        }
        out[q * part + k] = sum;
      }
    }
  }

  void combinePairs(Number *out, int64_t part, int64_t step) {
    for (int64_t k = 0; k < part; ++k) {
      Number even = out[k],
             odd = numbers.mul(out[part + k], twiddles[k * step]);
      out[k] = numbers.add(even, odd);
      out[part + k] = numbers.sub(even, odd);
    }
  }

  void combineFours(Number *out, int64_t part, int64_t step) {
    auto quarter = twiddles[size / 4]; // -i
    for (int64_t k = 0; k < part; ++k) {
      Number a = out[k], b = numbers.mul(out[part + k], twiddles[k * step]),
             c = numbers.mul(out[2 * part + k], twiddles[2 * k * step]),
             d = numbers.mul(out[3 * part + k], twiddles[3 * k * step]);
      Number even = numbers.add(a, c), even2 = numbers.sub(a, c);
      Number odd = numbers.add(b, d),
             odd2 = numbers.mul(numbers.sub(b, d), quarter);
      out[k] = numbers.add(even, odd);
      out[part + k] = numbers.add(even2, odd2);
      out[2 * part + k] = numbers.sub(even, odd);
      out[3 * part + k] = numbers.sub(even2, odd2);
    }
  }

  Numbers numbers;
  int64_t size;
  std::vector<int64_t> factors;
  std::vector<typename Numbers::Twiddle> twiddles;
  std::vector<Number> column;
};

} // namespace partita

#endif
