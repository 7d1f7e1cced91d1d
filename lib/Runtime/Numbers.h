// Element types as C++ types, and how values of them combine.
#ifndef PARTITA_LIB_RUNTIME_NUMBERS_H
#define PARTITA_LIB_RUNTIME_NUMBERS_H

#include "partita/Runtime/ABI.h"
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace partita::runtime {

/// The upper half of an f32; rounds to nearest, ties to even.
struct BF16 {
  uint16_t bits = 0;
  BF16() = default;
  explicit BF16(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    if (value != value)
      bits = uint16_t(word >> 16 | 0x40);
    else
      bits = uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

/// IEEE half precision; rounds to nearest, ties to even.
struct F16 {
  uint16_t bits = 0;
  F16() = default;
  explicit F16(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value), sign = word >> 16 & 0x8000;
    word &= 0x7fffffff;
    if (word > 0x7f800000)
      bits = uint16_t(sign | 0x7e00);
    else if (word >= 0x477ff000)
      bits = uint16_t(sign | 0x7c00);
    else if (word < 0x38800000) // subnormal: the sum rounds at the right bit
      bits = uint16_t(sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(word) + 0.5f) -
                              std::bit_cast<uint32_t>(0.5f)));
    else
      bits = uint16_t(sign | ((word - 0x38000000 + 0xfff + (word >> 13 & 1)) >> 13));
  }
  operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00)
      return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400)
      return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000));
    float value = float(rest) * 0x1p-24f;
    return sign ? -value : value;
  }
};

/// i1: a byte, 0 or 1.
struct Bool {
  uint8_t bits = 0;
  Bool() = default;
  explicit Bool(bool value) : bits(value) {}
  operator bool() const { return bits != 0; }
};

template <typename T> struct IsComplex : std::false_type {};
template <typename T> struct IsComplex<std::complex<T>> : std::true_type {};
template <typename T> inline constexpr bool isComplex = IsComplex<T>::value;
template <typename T>
inline constexpr bool isHalf = std::is_same_v<T, BF16> || std::is_same_v<T, F16>;
template <typename T>
inline constexpr bool isFloat = std::is_floating_point_v<T> || isHalf<T>;

/// The type in which values are computed.
template <typename T> struct WideOf { using type = T; };
template <> struct WideOf<BF16> { using type = float; };
template <> struct WideOf<F16> { using type = float; };
template <> struct WideOf<Bool> { using type = bool; };
template <typename T> using Wide = typename WideOf<T>::type;

/// Calls f(T()) for the C++ type of `dtype`.
template <typename F> decltype(auto) dispatch(partita_dtype dtype, F f) {
  switch (dtype) {
  case PARTITA_F64: return f(double());
  case PARTITA_F32: return f(float());
  case PARTITA_BF16: return f(BF16());
  case PARTITA_F16: return f(F16());
  case PARTITA_I1: return f(Bool());
  case PARTITA_I8: return f(int8_t());
  case PARTITA_I16: return f(int16_t());
  case PARTITA_I32: return f(int32_t());
  case PARTITA_I64: return f(int64_t());
  case PARTITA_UI8: return f(uint8_t());
  case PARTITA_UI16: return f(uint16_t());
  case PARTITA_UI32: return f(uint32_t());
  case PARTITA_UI64: return f(uint64_t());
  case PARTITA_C64: return f(std::complex<float>());
  case PARTITA_C128: return f(std::complex<double>());
  }
  return f(float());
}

/// Without the checks of the library's operator for infinite parts.
template <typename T> std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

/// a op b on wide values; integers wrap, i1 adds by or and multiplies by and;
/// complex numbers are ordered by their real, then their imaginary parts.
template <partita_reduction kind, typename T> T combine(T a, T b) {
  if constexpr (kind == PARTITA_SET) {
    return b;
  } else if constexpr (std::is_same_v<T, bool>) {
    if constexpr (kind == PARTITA_ADD || kind == PARTITA_MAX || kind == PARTITA_OR)
      return a | b;
    else if constexpr (kind == PARTITA_XOR)
      return a ^ b;
    else
      return a & b;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (kind == PARTITA_ADD)
      return T(uint64_t(a) + uint64_t(b));
    else if constexpr (kind == PARTITA_MUL)
      return T(uint64_t(a) * uint64_t(b));
    else if constexpr (kind == PARTITA_MAX)
      return a > b ? a : b;
    else if constexpr (kind == PARTITA_MIN)
      return a < b ? a : b;
    else if constexpr (kind == PARTITA_AND)
      return T(a & b);
    else if constexpr (kind == PARTITA_OR)
      return T(a | b);
    else
      return T(a ^ b);
  } else if constexpr (kind == PARTITA_ADD) {
    return a + b;
  } else if constexpr (kind == PARTITA_MUL) {
    if constexpr (isComplex<T>)
      return multiply(a, b);
    else
      return a * b;
  } else if constexpr (std::is_floating_point_v<T> &&
                       (kind == PARTITA_MAX || kind == PARTITA_MIN)) {
    if (a != a || b != b) // with its sign, which orders NaN
      return a != a ? a : b;
    if (a == b) // of two zeros, + is the larger
      return std::signbit(a) == (kind == PARTITA_MAX) ? b : a;
    return (a > b) == (kind == PARTITA_MAX) ? a : b;
  } else if constexpr (isComplex<T> &&
                       (kind == PARTITA_MAX || kind == PARTITA_MIN)) {
    auto x = a.real() != b.real() ? a.real() : a.imag();
    auto y = a.real() != b.real() ? b.real() : b.imag();
    return (kind == PARTITA_MAX ? x < y : x > y) ? b : a;
  } else {
    return a; // refused by isSupported
  }
}

/// Whether values of the type combine so.
inline bool isSupported(partita_reduction kind, partita_dtype dtype) {
  bool isInteger = dtype >= PARTITA_I1 && dtype <= PARTITA_UI64;
  switch (kind) {
  case PARTITA_ADD: case PARTITA_MUL: case PARTITA_SET: case PARTITA_BODY:
  case PARTITA_MAX: case PARTITA_MIN:
    return true;
  case PARTITA_AND: case PARTITA_OR: case PARTITA_XOR:
    return isInteger;
  }
  return false;
}

/// Calls f(std::integral_constant<partita_reduction, kind>()).
template <typename F> decltype(auto) dispatchKind(partita_reduction kind, F f) {
  switch (kind) {
  case PARTITA_MUL: return f(std::integral_constant<partita_reduction, PARTITA_MUL>());
  case PARTITA_MAX: return f(std::integral_constant<partita_reduction, PARTITA_MAX>());
  case PARTITA_MIN: return f(std::integral_constant<partita_reduction, PARTITA_MIN>());
  case PARTITA_AND: return f(std::integral_constant<partita_reduction, PARTITA_AND>());
  case PARTITA_OR: return f(std::integral_constant<partita_reduction, PARTITA_OR>());
  case PARTITA_XOR: return f(std::integral_constant<partita_reduction, PARTITA_XOR>());
  case PARTITA_SET: return f(std::integral_constant<partita_reduction, PARTITA_SET>());
  default: return f(std::integral_constant<partita_reduction, PARTITA_ADD>());
  }
}

} // namespace partita::runtime

#endif
