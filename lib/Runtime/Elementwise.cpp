// Functions of elements that the compiler does not expand itself.
#include "Numbers.h"
#include "WorldState.h"
#include "partita/Support/ComplexFunctions.h"
#include "partita/Support/ErfInverse.h"
#include "partita/Support/SpecialFunctions.h"
#include <cmath>

using namespace partita;
using namespace partita::runtime;

/// The neighbour of a in the direction of b, in the type of a.
template <typename T> static T nextAfter(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(a, b);
  } else {
    float x = a, y = b;
    if (x != x || y != y)
      return T(NAN);
    if (x == y)
      return b;
    T result = a;
    if (x == 0)
      result.bits = uint16_t(y < 0 ? 0x8001 : 1);
    else
      result.bits = uint16_t(a.bits + ((y > x) == (x > 0) ? 1 : -1));
    return result;
  }
}

/// A function of complex numbers by its number in the table; false if there is
/// none with these operands.
template <typename T>
static bool applyComplex(int64_t function, const T *a, const T *b, T *to,
                         int64_t n) {
  if (function < 0 || function >= getNumComplexFunctions() ||
      (getNumComplexOperands(function) == 2) != (b != nullptr))
    return false;
  for (int64_t i = 0; i < n; ++i) {
    std::complex<double> x(a[i].real(), a[i].imag()), y;
    if (b)
      y = {b[i].real(), b[i].imag()};
    x = evaluateComplex(function, x, y);
    to[i] =
        T(typename T::value_type(x.real()), typename T::value_type(x.imag()));
  }
  return true;
}

/// ln |gamma|; the library's lgamma writes a global sign.
static double logGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/// False if the function does not exist on the type.
template <typename T>
static bool apply(int64_t function, const T *a, const T *b, T *to, int64_t n) {
  auto unary = [&](auto f) {
    for (int64_t i = 0; i < n; ++i)
      to[i] = f(a[i]);
    return true;
  };
  auto binary = [&](auto f) {
    for (int64_t i = 0; b && i < n; ++i)
      to[i] = f(a[i], b[i]);
    return b != nullptr;
  };
  if constexpr (isComplex<T>) {
    return applyComplex(function, a, b, to, n);
  } else if constexpr (isFloat<T>) {
    using W = Wide<T>;
    switch (function) {
    case PARTITA_ERF_INV:
      if constexpr (std::is_same_v<T, float>) {
        erfInverseArray(a, to, n);
        return true;
      }
      return unary([](T x) {
        if constexpr (std::is_same_v<W, float>)
          return T(erfInverseF32(W(x)));
        else
          return T(W(erfInverse(double(W(x)))));
      });
    case PARTITA_LGAMMA:
      return unary([](T x) { return T(W(logGamma(double(W(x))))); });
    case PARTITA_DIGAMMA:
      return unary([](T x) { return T(W(digamma(double(W(x))))); });
    case PARTITA_BESSEL_I1E:
      return unary([](T x) { return T(W(besselI1e(double(W(x))))); });
    case PARTITA_POLYGAMMA:
      return binary(
          [](T x, T y) { return T(W(polygamma(double(W(x)), double(W(y))))); });
    case PARTITA_ZETA:
      return binary(
          [](T x, T y) { return T(W(zeta(double(W(x)), double(W(y))))); });
    case PARTITA_NEXT_AFTER:
      return binary([](T x, T y) { return nextAfter(x, y); });
    case PARTITA_POWER:
      return binary([](T x, T y) { return T(W(std::pow(W(x), W(y)))); });
    }
  }
  return false;
}

static std::string elementwise(Descriptor &d, void *const *buffers) {
  int64_t function = d.next();
  size_t count = d.inputs.size();
  if (!d.isValid() || count < 1 || count > 2 || d.outputs.size() != 1)
    return "the descriptor is malformed";
  for (const BufferType &type : d.inputs)
    if (type.dtype != d.outputs[0].dtype ||
        type.getCount() != d.outputs[0].getCount())
      return "the operands' types differ from the result's";
  bool isDone = dispatch(d.outputs[0].dtype, [&](auto t) {
    using T = decltype(t);
    return apply(function, static_cast<const T *>(buffers[0]),
                 count == 2 ? static_cast<const T *>(buffers[1]) : nullptr,
                 static_cast<T *>(buffers[count]), d.outputs[0].getCount());
  });
  return isDone ? ""
                : "no function " + std::to_string(function) + " of " +
                      getName(d.outputs[0].dtype) + " with " +
                      std::to_string(count) + " operands";
}

PARTITA_KERNEL(elementwise, elementwise)
