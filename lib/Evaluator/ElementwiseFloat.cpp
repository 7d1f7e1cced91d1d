// Elementwise functions of real floats. Computed in the cell's type (f32 or
// f64) and rounded to the element type.
#include "Element.h"
#include "mlir/IR/Operation.h"
#include "partita/Support/SpecialFunctions.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace partita;

namespace {
enum class Unary {
  None,
  Abs,
  Ceil,
  Floor,
  RoundAway,
  RoundEven,
  Neg,
  Sign,
  Exp,
  Expm1,
  Log,
  Log1p,
  Logistic,
  Cos,
  Sin,
  Tan,
  Tanh,
  Sqrt,
  Rsqrt,
  Cbrt,
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Cosh,
  Sinh,
  Digamma,
  Lgamma,
  Erf,
  Erfc,
  ErfInv,
  BesselI1e,
  Identity,
  Square,
  Imag
};
} // namespace

static Unary getUnary(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("abs", Unary::Abs)
      .Case("ceil", Unary::Ceil)
      .Case("floor", Unary::Floor)
      .Case("round_nearest_afz", Unary::RoundAway)
      .Case("round_nearest_even", Unary::RoundEven)
      .Case("negate", Unary::Neg)
      .Case("sign", Unary::Sign)
      .Case("exponential", Unary::Exp)
      .Case("exponential_minus_one", Unary::Expm1)
      .Case("log", Unary::Log)
      .Case("log_plus_one", Unary::Log1p)
      .Case("logistic", Unary::Logistic)
      .Case("cosine", Unary::Cos)
      .Case("sine", Unary::Sin)
      .Case("tan", Unary::Tan)
      .Case("tanh", Unary::Tanh)
      .Case("sqrt", Unary::Sqrt)
      .Case("rsqrt", Unary::Rsqrt)
      .Case("cbrt", Unary::Cbrt)
      .Case("acos", Unary::Acos)
      .Case("acosh", Unary::Acosh)
      .Case("asin", Unary::Asin)
      .Case("asinh", Unary::Asinh)
      .Case("atan", Unary::Atan)
      .Case("atanh", Unary::Atanh)
      .Case("cosh", Unary::Cosh)
      .Case("sinh", Unary::Sinh)
      .Case("digamma", Unary::Digamma)
      .Case("lgamma", Unary::Lgamma)
      .Case("erf", Unary::Erf)
      .Case("erfc", Unary::Erfc)
      .Case("erf_inv", Unary::ErfInv)
      .Case("bessel_i1e", Unary::BesselI1e)
      .Cases({"real", "conj", "optimization_barrier"}, Unary::Identity)
      .Case("square", Unary::Square)
      .Case("imag", Unary::Imag)
      .Default(Unary::None);
}

template <typename T> static T roundEven(T x) {
  T r = std::round(x);
  if (std::fabs(x - std::trunc(x)) == T(0.5))
    r = 2 * std::round(x / 2);
  return std::copysign(r, x);
}

template <typename T> static ElementFunction makeUnary(Unary function) {
  auto loop = [](auto f) { return unaryLoop<T, T>(f); };
  switch (function) {
  case Unary::None:
    return {};
  case Unary::Abs:
    return loop([](T x) { return std::fabs(x); });
  case Unary::Ceil:
    return loop([](T x) { return std::ceil(x); });
  case Unary::Floor:
    return loop([](T x) { return std::floor(x); });
  case Unary::RoundAway:
    return loop([](T x) { return std::round(x); });
  case Unary::RoundEven:
    return loop([](T x) { return roundEven(x); });
  case Unary::Neg:
    return loop([](T x) { return -x; });
  case Unary::Sign:
    return loop([](T x) {
      return std::isnan(x) || x == 0 ? x : std::copysign(T(1), x);
    });
  case Unary::Exp:
    return loop([](T x) { return std::exp(x); });
  case Unary::Expm1:
    return loop([](T x) { return std::expm1(x); });
  case Unary::Log:
    return loop([](T x) { return std::log(x); });
  case Unary::Log1p:
    return loop([](T x) { return std::log1p(x); });
  case Unary::Logistic:
    return loop([](T x) { return T(1) / (T(1) + std::exp(-x)); });
  case Unary::Cos:
    return loop([](T x) { return std::cos(x); });
  case Unary::Sin:
    return loop([](T x) { return std::sin(x); });
  case Unary::Tan:
    return loop([](T x) { return std::tan(x); });
  case Unary::Tanh:
    return loop([](T x) { return std::tanh(x); });
  case Unary::Sqrt:
    return loop([](T x) { return std::sqrt(x); });
  case Unary::Rsqrt:
    return loop([](T x) { return T(1) / std::sqrt(x); });
  case Unary::Cbrt:
    return loop([](T x) { return std::cbrt(x); });
  case Unary::Acos:
    return loop([](T x) { return std::acos(x); });
  case Unary::Acosh:
    return loop([](T x) { return std::acosh(x); });
  case Unary::Asin:
    return loop([](T x) { return std::asin(x); });
  case Unary::Asinh:
    return loop([](T x) { return std::asinh(x); });
  case Unary::Atan:
    return loop([](T x) { return std::atan(x); });
  case Unary::Atanh:
    return loop([](T x) { return std::atanh(x); });
  case Unary::Cosh:
    return loop([](T x) { return std::cosh(x); });
  case Unary::Sinh:
    return loop([](T x) { return std::sinh(x); });
  case Unary::Digamma:
    return loop([](T x) { return T(digamma(x)); });
  case Unary::Lgamma:
    return loop([](T x) { return T(std::lgamma(double(x))); });
  case Unary::Erf:
    return loop([](T x) { return T(std::erf(x)); });
  case Unary::Erfc:
    return loop([](T x) { return T(std::erfc(x)); });
  case Unary::ErfInv:
    return loop([](T x) { return T(erfInverse(x)); });
  case Unary::BesselI1e:
    return loop([](T x) { return T(besselI1e(x)); });
  case Unary::Identity:
    return loop([](T x) { return x; });
  case Unary::Square:
    return loop([](T x) { return x * x; });
  case Unary::Imag:
    return loop([](T) { return T(0); });
  }
  return {};
}

template <typename T> static ElementFunction makePredicate(StringRef name) {
  if (name == "is_finite")
    return unaryLoop<T, int64_t>([](T x) { return int64_t(std::isfinite(x)); });
  if (name == "is_inf")
    return unaryLoop<T, int64_t>([](T x) { return int64_t(std::isinf(x)); });
  if (name == "is_pos_inf")
    return unaryLoop<T, int64_t>(
        [](T x) { return int64_t(std::isinf(x) && x > 0); });
  if (name == "is_neg_inf")
    return unaryLoop<T, int64_t>(
        [](T x) { return int64_t(std::isinf(x) && x < 0); });
  return {};
}

template <typename T> static T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
}
template <typename T> static T minimum(T a, T b) { return -maximum(-a, -b); }

template <typename T> static ElementFunction makeBinary(StringRef name) {
  auto loop = [](auto f) { return binaryLoop<T, T>(f); };
  if (name == "add")
    return loop([](T a, T b) { return a + b; });
  if (name == "subtract")
    return loop([](T a, T b) { return a - b; });
  if (name == "multiply")
    return loop([](T a, T b) { return a * b; });
  if (name == "divide")
    return loop([](T a, T b) { return a / b; });
  if (name == "maximum")
    return loop([](T a, T b) { return maximum(a, b); });
  if (name == "minimum")
    return loop([](T a, T b) { return minimum(a, b); });
  if (name == "power")
    return loop([](T a, T b) { return std::pow(a, b); });
  if (name == "remainder")
    return loop([](T a, T b) { return std::fmod(a, b); });
  if (name == "atan2")
    return loop([](T a, T b) { return std::atan2(a, b); });
  if (name == "polygamma")
    return loop([](T a, T b) { return T(polygamma(a, b)); });
  if (name == "zeta")
    return loop([](T a, T b) { return T(zeta(a, b)); });
  return {};
}

/// The neighbour of a in the direction of b, in the element type.
static double nextAfter(double a, double b, FloatType type) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return b;
  if (type.isF64())
    return std::nextafter(a, b);
  bool loses;
  APFloat value(a);
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  value.next(/*nextDown=*/b < a);
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

/// IEEE total order as an integer: the bits, negative numbers reversed.
static int64_t totalOrderKey(double x) {
  int64_t bits = llvm::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

template <typename T> static ElementFunction makeCompare(Operation *op) {
  if (isTotalOrder(op))
    return compareLoop<T>(
        getComparison(op),
        [](T a, T b) { return totalOrderKey(a) < totalOrderKey(b); },
        [](T a, T b) { return totalOrderKey(a) == totalOrderKey(b); });
  return compareLoop<T>(
      getComparison(op), [](T a, T b) { return a < b; },
      [](T a, T b) { return a == b; });
}

static int64_t getExponentBits(Type type) {
  auto floatType = cast<FloatType>(type);
  return floatType.getWidth() - floatType.getFPMantissaWidth();
}

template <typename T>
static ElementFunction makeFloat(const ElementSpec &spec) {
  StringRef name = spec.name;
  if (name == "compare")
    return makeCompare<T>(spec.op);
  if (auto predicate = makePredicate<T>(name))
    return predicate;
  FloatFormat format(spec.result);
  if (spec.operands.size() == 1) {
    if (name == "reduce_precision") {
      auto exponent =
          spec.op->getAttrOfType<IntegerAttr>("exponent_bits").getInt();
      auto mantissa =
          spec.op->getAttrOfType<IntegerAttr>("mantissa_bits").getInt();
      // 52 bits or more of mantissa and 11 of exponent change nothing.
      FloatFormat narrow = exponent >= 11 && mantissa >= 52
                               ? FloatFormat()
                               : FloatFormat(std::min<int64_t>(exponent, 11),
                                             std::min<int64_t>(mantissa, 52));
      // What is below the least normal number of fewer exponent bits is zero,
      // as in XLA.
      int64_t ownBits = getExponentBits(spec.result);
      T least = exponent < ownBits
                    ? T(std::ldexp(1.0, 2 - int(1 << (exponent - 1))))
                    : T(0);
      ElementFunction flush = unaryLoop<T, T>([least](T x) {
        return std::fabs(x) < least ? std::copysign(T(0), x) : x;
      });
      ElementFunction round = rounded<T>(makeUnary<T>(Unary::Identity), narrow);
      return rounded<T>(
          [round, flush](const void *const *in, void *out, int64_t n) {
            round(in, out, n);
            const void *again[] = {out};
            flush(again, out, n);
          },
          format);
    }
    ElementFunction function = makeUnary<T>(getUnary(name));
    return function ? rounded<T>(std::move(function), format) : function;
  }
  if (name == "clamp")
    return [](const void *const *in, void *out, int64_t n) {
      auto *low = static_cast<const T *>(in[0]),
           *x = static_cast<const T *>(in[1]),
           *high = static_cast<const T *>(in[2]);
      for (int64_t i = 0; i < n; ++i)
        static_cast<T *>(out)[i] = minimum(maximum(low[i], x[i]), high[i]);
    };
  if (name == "next_after") {
    auto type = cast<FloatType>(spec.result);
    return binaryLoop<T, T>(
        [type](T a, T b) { return T(nextAfter(a, b, type)); });
  }
  if (name == "complex")
    return binaryLoop<T, std::complex<double>>(
        [](T a, T b) { return std::complex<double>(a, b); });
  ElementFunction function = makeBinary<T>(name);
  return function ? rounded<T>(std::move(function), format) : function;
}

ElementFunction partita::makeFloatFunction(const ElementSpec &spec) {
  return spec.operands[0].isF64() ? makeFloat<double>(spec)
                                  : makeFloat<float>(spec);
}
