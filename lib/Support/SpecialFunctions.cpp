// Series and recurrences of the special functions.
#include "partita/Support/SpecialFunctions.h"
#include <cmath>
#include <limits>

static constexpr double kPi = 3.14159265358979323846;
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInf = std::numeric_limits<double>::infinity();

double partita::digamma(double x) {
  if (std::isnan(x) || x == -kInf)
    return kNaN;
  if (x == kInf)
    return kInf;
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x))
      return kNaN;
    // Reflection: digamma(1 - x) - digamma(x) = pi cot(pi x).
    result = -kPi / std::tan(kPi * x);
    x = 1 - x;
  }
  for (; x < 12; ++x)
    result -= 1 / x;
  double inverse = 1 / (x * x);
  double series =
      inverse *
      (1.0 / 12 -
       inverse * (1.0 / 120 -
                  inverse * (1.0 / 252 -
                             inverse * (1.0 / 240 -
                                        inverse * (1.0 / 132 -
                                                   inverse * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}

double partita::zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1)
    return kNaN;
  if (x == 1)
    return kInf;
  if (q <= 0) {
    if (q == std::floor(q))
      return kInf;
    if (x != std::floor(x))
      return kNaN;
  }
  // Euler-Maclaurin after summing the first terms.
  double sum = 0;
  constexpr int terms = 16;
  for (int i = 0; i < terms || q < terms; ++i, ++q)
    sum += std::pow(q, -x);
  double power = std::pow(q, -x);
  sum += power * q / (x - 1) + 0.5 * power;
  // Bernoulli numbers B_2k over (2k)!.
  static const double coefficients[] = {1.0 / 12,
                                        -1.0 / 720,
                                        1.0 / 30240,
                                        -1.0 / 1209600,
                                        1.0 / 47900160,
                                        -691.0 / 1307674368000.0,
                                        1.0 / 74724249600.0,
                                        -3617.0 / 10670622842880000.0};
  double factor = x * power / q;
  for (int k = 0; k < 8; ++k) {
    sum += coefficients[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

double partita::polygamma(double n, double x) {
  if (std::isnan(n) || std::isnan(x) || n < 0 || n != std::floor(n))
    return kNaN;
  if (n == 0)
    return digamma(x);
  double magnitude = std::tgamma(n + 1) * zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -magnitude : magnitude;
}

double partita::erfInverse(double x) {
  if (std::isnan(x) || std::fabs(x) > 1)
    return kNaN;
  if (std::fabs(x) == 1)
    return x * kInf;
  if (x == 0)
    return x;
  // Winitzki's approximation, then Newton steps on erf, or on the logarithm of
  // erfc where erf is flat.
  double a = 0.147, l = std::log1p(-x * x);
  double t = 2 / (kPi * a) + l / 2;
  double y = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), x);
  for (int i = 0; i < 4; ++i) {
    if (std::fabs(x) < 0.9) {
      y -= (std::erf(y) - x) / (2 / std::sqrt(kPi) * std::exp(-y * y));
      continue;
    }
    double s = std::fabs(y), tail = std::erfc(s), target = 1 - std::fabs(x);
    s += std::log(tail / target) * tail /
         (2 / std::sqrt(kPi) * std::exp(-s * s));
    y = std::copysign(s, x);
  }
  return y;
}

double partita::besselI1e(double x) {
  double y = std::fabs(x), result;
  if (std::isnan(x))
    return kNaN;
  if (std::isinf(x))
    return 0;
  if (y <= 40) {
    double term = y / 2, sum = term;
    for (int k = 1; k < 400 && term > sum * 1e-18; ++k)
      sum += term *= (y / 2) * (y / 2) / (double(k) * (k + 1));
    result = sum * std::exp(-y);
  } else {
    double term = 1, sum = 1;
    for (int k = 1; k < 30; ++k) {
      double odd = 2 * k - 1, next = term * -(4 - odd * odd) / (k * 8 * y);
      if (std::fabs(next) > std::fabs(term))
        break;
      sum += term = next;
    }
    result = sum / std::sqrt(2 * kPi * y);
  }
  return std::copysign(result, x);
}
