// Rounding to narrow float formats, and their bit patterns.
#include "Float.h"
#include "partita/Evaluator/Tensor.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace partita;

double partita::roundToType(double value, FloatType type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return float(value);
  return FloatFormat(type).round(value);
}

FloatFormat::FloatFormat(Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type || type.isF32() || type.isF64())
    return;
  if (type.isF16())
    *this = FloatFormat(5, 10);
  else if (type.isBF16())
    *this = FloatFormat(8, 7);
  else
    semantics = &type.getFloatSemantics();
}

FloatFormat::FloatFormat(unsigned exponentBits, unsigned mantissaBits)
    : mantissaBits(mantissaBits), isPlain(false) {
  int bias = (1 << (exponentBits - 1)) - 1;
  minExponent = 1 - bias;
  largest = std::ldexp(2.0 - std::ldexp(1.0, -int(mantissaBits)), bias);
}

/// Whether the value is negative and the format has no sign.
static bool isBelowUnsigned(double value, const llvm::fltSemantics &semantics) {
  return value < 0 && !APFloat::semanticsHasSignedRepr(semantics);
}

double FloatFormat::round(double value) const {
  if (semantics) {
    if (std::isnan(value) || isBelowUnsigned(value, *semantics))
      return std::numeric_limits<double>::quiet_NaN();
    APFloat wide(value);
    bool loses;
    wide.convert(*semantics, APFloat::rmNearestTiesToEven, &loses);
    return wide.convertToDouble();
  }
  if (isPlain || value == 0 || !std::isfinite(value)) // no mantissa, no NaN
    return std::isnan(value) && !isPlain && mantissaBits == 0
               ? std::copysign(INFINITY, value)
               : value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double quantum = std::ldexp(1.0, exponent - int(mantissaBits));
  double rounded = std::nearbyint(value / quantum) * quantum;
  if (std::fabs(rounded) > largest)
    return std::copysign(INFINITY, value);
  return rounded;
}

/// bf16 is the common case; the upper half of an f32, rounded to even.
static float roundBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7f800000u) != 0x7f800000u)
    bits += 0x7fffu + ((bits >> 16) & 1);
  bits &= 0xffff0000u;
  if (std::isnan(value))
    bits = 0x7fc00000u;
  std::memcpy(&value, &bits, 4);
  return value;
}

void FloatFormat::roundCells(float *cells, int64_t n) const {
  if (isPlain && !semantics)
    return;
  if (!semantics && mantissaBits == 7 && minExponent == -126) {
    for (int64_t i = 0; i < n; ++i)
      cells[i] = roundBF16(cells[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    cells[i] = float(round(cells[i]));
}

double partita::decodeFloat(uint64_t bits, FloatType type) {
  if (type.isF32())
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  unsigned width = type.getWidth();
  APFloat narrow(type.getFloatSemantics(),
                 APInt(width, bits & llvm::maskTrailingOnes<uint64_t>(width)));
  return narrow.isNaN() ? std::numeric_limits<double>::quiet_NaN()
                        : toDouble(narrow);
}

uint64_t partita::encodeFloat(double value, FloatType type) {
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(float(value));
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  if (isBelowUnsigned(value, type.getFloatSemantics()))
    value = std::numeric_limits<double>::quiet_NaN();
  APFloat narrow(value);
  bool loses;
  narrow.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &loses);
  return narrow.bitcastToAPInt().getZExtValue();
}
