// Conversions between element types, and reinterpretation of bits.
#include "Element.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Word = Field::Word;
using Complex = std::complex<double>;

/// Towards zero, confined to the range of the type; NaN is 0.
static int64_t floatToInt(double x, Type type) {
  if (type.isInteger(1))
    return x != 0;
  if (std::isnan(x))
    return 0;
  unsigned bits = getIntegerBits(type);
  if (isUnsignedType(type)) {
    if (x <= 0)
      return 0;
    if (x >= std::ldexp(1.0, bits))
      return wrapToType(-1, type);
    return int64_t(uint64_t(x));
  }
  double bound = std::ldexp(1.0, bits - 1);
  if (x >= bound)
    return int64_t((uint64_t(1) << (bits - 1)) - 1);
  if (x < -bound)
    return wrapToType(int64_t(uint64_t(1) << (bits - 1)), type);
  return int64_t(x);
}

static double intToDouble(int64_t x, bool isUnsigned) {
  return isUnsigned ? double(uint64_t(x)) : double(x);
}

/// Writes `value(i)` of the operand's cells as cells of `to`, which is real.
template <typename In, typename Value>
static ElementFunction toRealFloat(Type to, Value value) {
  if (to.isF64())
    return unaryLoop<In, double>(value);
  if (to.isF32())
    return unaryLoop<In, float>([value](In x) { return float(value(x)); });
  FloatFormat format(to);
  return unaryLoop<In, float>(
      [value, format](In x) { return float(format.round(value(x))); });
}

template <typename In, typename Value>
static ElementFunction fromReal(Type to, Value value) {
  if (auto complex = dyn_cast<ComplexType>(to)) {
    bool isSingle = complex.getElementType().isF32();
    return unaryLoop<In, Complex>([value, isSingle](In x) {
      double re = value(x);
      return Complex(isSingle ? double(float(re)) : re, 0);
    });
  }
  if (isa<FloatType>(to))
    return toRealFloat<In>(to, value);
  return unaryLoop<In, int64_t>(
      [value, to](In x) { return floatToInt(value(x), to); });
}

static ElementFunction convertInteger(Type from, Type to) {
  bool isUnsigned = isUnsignedType(from);
  if (isa<IntegerType, IndexType>(to)) {
    if (to.isInteger(1))
      return unaryLoop<int64_t, int64_t>(
          [](int64_t x) { return int64_t(x != 0); });
    return unaryLoop<int64_t, int64_t>(
        [to](int64_t x) { return wrapToType(x, to); });
  }
  if (to.isF32()) // directly: through f64 it would round twice
    return unaryLoop<int64_t, float>([isUnsigned](int64_t x) {
      return isUnsigned ? float(uint64_t(x)) : float(x);
    });
  return fromReal<int64_t>(
      to, [isUnsigned](int64_t x) { return intToDouble(x, isUnsigned); });
}

static ElementFunction convertComplex(Type to) {
  if (auto complex = dyn_cast<ComplexType>(to)) {
    if (complex.getElementType().isF64())
      return unaryLoop<Complex, Complex>([](Complex x) { return x; });
    return unaryLoop<Complex, Complex>(
        [](Complex x) { return Complex(float(x.real()), float(x.imag())); });
  }
  return fromReal<Complex>(to, [](Complex x) { return x.real(); });
}

//===----------------------------------------------------------------------===//
// Field mode
//===----------------------------------------------------------------------===//

/// Whether every value of the float type `from` is one of `to`.
static bool isWidening(Type from, Type to) {
  const llvm::fltSemantics &a = cast<FloatType>(from).getFloatSemantics();
  const llvm::fltSemantics &b = cast<FloatType>(to).getFloatSemantics();
  return APFloat::semanticsPrecision(a) <= APFloat::semanticsPrecision(b) &&
         APFloat::semanticsMaxExponent(a) <= APFloat::semanticsMaxExponent(b) &&
         APFloat::semanticsMinExponent(a) >= APFloat::semanticsMinExponent(b);
}

static Type getRealType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

static ElementFunction narrowed(ElementFunction function, Type from, Type to,
                                const Field &field) {
  Type realFrom = getRealType(from), realTo = getRealType(to);
  if (!isa<FloatType>(realFrom) || isWidening(realFrom, realTo))
    return function;
  int64_t words = isa<ComplexType>(to) ? 2 : 1;
  return [=, &field](const void *const *in, void *out, int64_t n) {
    function(in, out, n);
    narrowField(static_cast<Word *>(out), n * words, realTo, field);
  };
}

static ElementFunction convertInField(Type from, Type to, const Field &field) {
  bool toFloat = isa<FloatType>(to), toComplex = isa<ComplexType>(to);
  if (isa<IntegerType, IndexType>(from)) {
    bool isUnsigned = isUnsignedType(from);
    auto embed = [&field, isUnsigned](int64_t x) {
      return isUnsigned ? field.fromUnsigned(uint64_t(x)) : field.fromInt(x);
    };
    if (toFloat)
      return unaryLoop<int64_t, Word>(embed);
    if (toComplex)
      return unaryLoop<int64_t, FieldComplex>(
          [embed](int64_t x) { return FieldComplex{embed(x), 0}; });
    return convertInteger(from, to);
  }
  if (isa<FloatType>(from)) {
    if (toFloat)
      return narrowed(unaryLoop<Word, Word>([](Word x) { return x; }), from, to,
                      field);
    if (toComplex)
      return narrowed(unaryLoop<Word, FieldComplex>(
                          [](Word x) { return FieldComplex{x, 0}; }),
                      from, to, field);
    return unaryLoop<Word, int64_t>([&field, to](Word x) {
      return to.isInteger(1) ? int64_t(x != 0) : wrapToType(field.toInt(x), to);
    });
  }
  if (toComplex)
    return narrowed(
        unaryLoop<FieldComplex, FieldComplex>([](FieldComplex x) { return x; }),
        from, to, field);
  if (toFloat)
    return narrowed(
        unaryLoop<FieldComplex, Word>([](FieldComplex x) { return x.re; }),
        from, to, field);
  return unaryLoop<FieldComplex, int64_t>([&field, to](FieldComplex x) {
    return to.isInteger(1) ? int64_t(x.re != 0 || x.im != 0)
                           : wrapToType(field.toInt(x.re), to);
  });
}

ElementFunction partita::makeConvertFunction(Type from, Type to,
                                             const Field *field) {
  if (getCellKind(from, field) == CellKind::None ||
      getCellKind(to, field) == CellKind::None)
    return {};
  if (field)
    return convertInField(from, to, *field);
  switch (getCellKind(from, false)) {
  case CellKind::Float32:
    return fromReal<float>(to, [](float x) { return double(x); });
  case CellKind::Float64:
    return fromReal<double>(to, [](double x) { return x; });
  case CellKind::Int64:
    return convertInteger(from, to);
  case CellKind::Complex:
    return convertComplex(to);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The bits of float cells. A residue that is a small integer has that float's
/// bits; others have hashed ones.
static ElementFunction floatToBits(FloatType from, Type to,
                                   const Field *field) {
  if (field) {
    uint64_t key = field->functionKey("bitcast_convert");
    return unaryLoop<Word, int64_t>([=](Word x) {
      bool isKnown = Field::isSpecial(x) || field->asSmallInt(x);
      uint64_t bits =
          isKnown ? encodeFloat(field->toDouble(x), from) : field->mix(key, x);
      return wrapToType(int64_t(bits), to);
    });
  }
  if (from.isF64())
    return unaryLoop<double, int64_t>([=](double x) {
      return wrapToType(int64_t(encodeFloat(x, from)), to);
    });
  return unaryLoop<float, int64_t>(
      [=](float x) { return wrapToType(int64_t(encodeFloat(x, from)), to); });
}

static ElementFunction bitsToFloat(FloatType to, const Field *field) {
  if (field)
    return unaryLoop<int64_t, Word>([=](int64_t x) {
      return field->fromDouble(decodeFloat(uint64_t(x), to));
    });
  if (to.isF64())
    return unaryLoop<int64_t, double>(
        [=](int64_t x) { return decodeFloat(uint64_t(x), to); });
  return unaryLoop<int64_t, float>(
      [=](int64_t x) { return float(decodeFloat(uint64_t(x), to)); });
}

ElementFunction partita::makeBitcastFunction(Type from, Type to,
                                             const Field *field) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (from == to && getCellKind(from, field) != CellKind::None)
    return makeConvertFunction(from, to, field);
  if (isa<ComplexType>(from) || isa<ComplexType>(to))
    return {};
  if (fromFloat && toFloat) {
    Type bits = IntegerType::get(from.getContext(), fromFloat.getWidth(),
                                 IntegerType::Unsigned);
    ElementFunction first = floatToBits(fromFloat, bits, field);
    ElementFunction second = bitsToFloat(toFloat, field);
    return [=](const void *const *in, void *out, int64_t n) {
      std::vector<int64_t> middle(n);
      first(in, middle.data(), n);
      const void *next[] = {middle.data()};
      second(next, out, n);
    };
  }
  if (fromFloat)
    return floatToBits(fromFloat, to, field);
  if (toFloat)
    return bitsToFloat(toFloat, field);
  return unaryLoop<int64_t, int64_t>(
      [to](int64_t x) { return wrapToType(x, to); });
}
