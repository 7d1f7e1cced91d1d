// The table of complex functions.
#include "partita/Support/ComplexFunctions.h"
#include <cmath>

using namespace partita;
using Complex = std::complex<double>;

namespace {
struct Entry {
  std::string_view name;
  Complex (*unary)(Complex);
  Complex (*binary)(Complex, Complex) = nullptr;
};
} // namespace

static Complex multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

static Complex expm1(Complex z) {
  double x = z.real(), y = z.imag(), half = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half * half,
          std::exp(x) * std::sin(y)};
}

static Complex log1p(Complex z) {
  double x = z.real(), y = z.imag();
  return {0.5 * std::log1p(x * (2 + x) + y * y), std::atan2(y, 1 + x)};
}

static Complex power(Complex a, Complex b) {
  if (a == Complex(0))
    return b == Complex(0) ? Complex(1) : Complex(0);
  return std::pow(a, b);
}

/// Lexicographic order of real and imaginary parts.
static Complex maximum(Complex a, Complex b) {
  bool less = a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  return less ? b : a;
}

static Complex atan2(Complex y, Complex x) {
  Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

static const Entry table[] = {
    {"negate", [](Complex z) { return -z; }},
    {"sign", [](Complex z) { return z == Complex(0) ? z : z / std::abs(z); }},
    {"exponential", [](Complex z) { return std::exp(z); }},
    {"exponential_minus_one", expm1},
    {"log", [](Complex z) { return std::log(z); }},
    {"log_plus_one", log1p},
    {"logistic", [](Complex z) { return 1.0 / (1.0 + std::exp(-z)); }},
    {"cosine", [](Complex z) { return std::cos(z); }},
    {"sine", [](Complex z) { return std::sin(z); }},
    {"tan", [](Complex z) { return std::tan(z); }},
    {"tanh", [](Complex z) { return std::tanh(z); }},
    {"sqrt", [](Complex z) { return std::sqrt(z); }},
    {"rsqrt", [](Complex z) { return 1.0 / std::sqrt(z); }},
    {"cbrt", [](Complex z) { return power(z, 1.0 / 3); }},
    {"acos", [](Complex z) { return std::acos(z); }},
    {"acosh", [](Complex z) { return std::acosh(z); }},
    {"asin", [](Complex z) { return std::asin(z); }},
    {"asinh", [](Complex z) { return std::asinh(z); }},
    {"atan", [](Complex z) { return std::atan(z); }},
    {"atanh", [](Complex z) { return std::atanh(z); }},
    {"cosh", [](Complex z) { return std::cosh(z); }},
    {"sinh", [](Complex z) { return std::sinh(z); }},
    {"square", [](Complex z) { return multiply(z, z); }},
    {"conj", [](Complex z) { return std::conj(z); }},
    {"add", nullptr, [](Complex a, Complex b) { return a + b; }},
    {"subtract", nullptr, [](Complex a, Complex b) { return a - b; }},
    {"multiply", nullptr, multiply},
    {"divide", nullptr, [](Complex a, Complex b) { return a / b; }},
    {"power", nullptr, power},
    {"maximum", nullptr, maximum},
    {"minimum", nullptr, [](Complex a, Complex b) { return -maximum(-a, -b); }},
    {"atan2", nullptr, atan2},
};

int64_t partita::findComplexFunction(std::string_view name) {
  for (int64_t i = 0; i < getNumComplexFunctions(); ++i)
    if (table[i].name == name)
      return i;
  return -1;
}

int64_t partita::getNumComplexFunctions() { return std::size(table); }

int64_t partita::getNumComplexOperands(int64_t function) {
  return table[function].binary ? 2 : 1;
}

Complex partita::evaluateComplex(int64_t function, Complex a, Complex b) {
  const Entry &entry = table[function];
  return entry.binary ? entry.binary(a, b) : entry.unary(a);
}
