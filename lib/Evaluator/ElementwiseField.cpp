// Elementwise functions of floats in field mode: the ring's operations, an
// order, and fixed pseudo-random functions for all that is not linear
// (notes/exact.md).
#include "Element.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Word = Field::Word;

static std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Hashed functions
//===----------------------------------------------------------------------===//

/// The word of a float result that the field knows exactly: a flag or a small
/// integer. Anything else is left to the hash.
static std::optional<Word> getExactWord(double value, bool flagsToo,
                                        const Field &field) {
  if (std::isnan(value))
    return flagsToo ? std::optional<Word>(Field::kNaN) : std::nullopt;
  if (std::isinf(value))
    return flagsToo ? std::optional<Word>(field.fromDouble(value))
                    : std::nullopt;
  if (value == std::floor(value) && std::fabs(value) < 0x1p31)
    return field.fromInt(int64_t(value));
  return std::nullopt;
}

/// A function of one operand. Flags and zero have the float function's value
/// where that is a flag or an integer, so that exp(-inf) = 0 and tanh(0) = 0.
static ElementFunction makeHashedUnary(const ElementSpec &spec,
                                       const Field &field) {
  Type wide = Float64Type::get(spec.result.getContext());
  ElementFunction real = makeFloatFunction({spec.name, {wide}, wide, spec.op});
  if (!real)
    return {};
  uint64_t key = field.functionKey(spec.name, typeName(spec.result));
  return unaryLoop<Word, Word>([real, key, &field](Word a) {
    if (LLVM_UNLIKELY(a == 0 || Field::isSpecial(a))) {
      double x = field.toDouble(a), y;
      const void *in[] = {&x};
      real(in, &y, 1);
      if (auto exact = getExactWord(y, Field::isSpecial(a), field))
        return *exact;
    }
    return field.hash(key, a);
  });
}

/// A function of two operands; of flags and small integers it has the float
/// function's value where that is a flag or an integer.
static ElementFunction makeHashedBinary(const ElementSpec &spec,
                                        const Field &field) {
  Type wide = Float64Type::get(spec.result.getContext());
  ElementFunction real =
      makeFloatFunction({spec.name, {wide, wide}, wide, spec.op});
  if (!real)
    return {};
  uint64_t key = field.functionKey(spec.name, typeName(spec.result));
  return binaryLoop<Word, Word>([real, key, &field](Word a, Word b) {
    if (a == Field::kNaN || b == Field::kNaN)
      return Word(Field::kNaN);
    bool flags = Field::isSpecial(a) || Field::isSpecial(b);
    if ((field.asSmallInt(a) || Field::isSpecial(a)) &&
        (field.asSmallInt(b) || Field::isSpecial(b))) {
      double x = field.toDouble(a), y = field.toDouble(b), z;
      const void *in[] = {&x, &y};
      real(in, &z, 1);
      if (auto exact = getExactWord(z, flags, field))
        return *exact;
    }
    return field.hash(key, a, b);
  });
}

/// Words of the integers up to `limit` stay; all others are hashed.
static Word narrow(Word a, uint64_t key, int64_t limit, const Field &field) {
  if (Field::isSpecial(a))
    return a;
  if (auto small = field.asSmallInt(a))
    if (std::abs(*small) <= limit)
      return a;
  return field.hash(key, a);
}

void partita::narrowField(Word *cells, int64_t n, Type type,
                          const Field &field) {
  uint64_t key = field.functionKey("convert", typeName(type));
  unsigned mantissa = cast<FloatType>(type).getFPMantissaWidth();
  int64_t limit = int64_t(1) << std::min(mantissa, 31u);
  for (int64_t i = 0; i < n; ++i)
    cells[i] = narrow(cells[i], key, limit, field);
}

static ElementFunction makeReducePrecision(const ElementSpec &spec,
                                           const Field &field) {
  auto exponent = spec.op->getAttrOfType<IntegerAttr>("exponent_bits").getInt();
  auto mantissa = spec.op->getAttrOfType<IntegerAttr>("mantissa_bits").getInt();
  auto type = cast<FloatType>(spec.result);
  unsigned precision = type.getFPMantissaWidth();
  unsigned exponentBits = type.getWidth() - precision;
  if (mantissa + 1 >= int64_t(precision) && exponent >= int64_t(exponentBits))
    return unaryLoop<Word, Word>([](Word a) { return a; });
  uint64_t key =
      field.functionKey("reduce_precision", std::to_string(exponent) + "," +
                                                std::to_string(mantissa));
  int64_t limit = int64_t(1) << std::min<int64_t>(mantissa + 1, 31);
  return unaryLoop<Word, Word>(
      [key, limit, &field](Word a) { return narrow(a, key, limit, field); });
}

//===----------------------------------------------------------------------===//
// Ring, order, integers
//===----------------------------------------------------------------------===//

/// Inverses of up to 256 residues by one inversion.
static void divideChunk(const Word *a, const Word *b, Word *out, int64_t n,
                        const Field &field) {
  Word prefix[256], product = 1;
  auto isPlain = [&](int64_t i) {
    return b[i] != 0 && !Field::isSpecial(b[i]) && !Field::isSpecial(a[i]);
  };
  for (int64_t i = 0; i < n; ++i) {
    prefix[i] = product;
    if (isPlain(i))
      product = field.mulFinite(product, b[i]);
  }
  Word inverse = field.invFinite(product);
  for (int64_t i = n; i-- > 0;) {
    if (!isPlain(i)) {
      out[i] = field.div(a[i], b[i]);
      continue;
    }
    Word divisor = b[i];
    out[i] = field.mulFinite(a[i], field.mulFinite(inverse, prefix[i]));
    inverse = field.mulFinite(inverse, divisor);
  }
}

static ElementFunction makeDivide(const Field &field) {
  return [&field](const void *const *in, void *out, int64_t n) {
    auto *a = static_cast<const Word *>(in[0]),
         *b = static_cast<const Word *>(in[1]);
    for (int64_t i = 0; i < n; i += 256)
      divideChunk(a + i, b + i, static_cast<Word *>(out) + i,
                  std::min<int64_t>(256, n - i), field);
  };
}

static Word select(bool takeFirst, Word a, Word b) {
  if (a == Field::kNaN || b == Field::kNaN)
    return Field::kNaN;
  return takeFirst ? a : b;
}
static Word maximum(Word a, Word b, const Field &field) {
  return select(field.orderKey(a) >= field.orderKey(b), a, b);
}
static Word minimum(Word a, Word b, const Field &field) {
  return select(field.orderKey(a) <= field.orderKey(b), a, b);
}

static Word remainder(Word a, Word b, uint64_t key, const Field &field) {
  auto x = field.asSmallInt(a), y = field.asSmallInt(b);
  if (x && y && *y != 0)
    return field.fromInt(*x % *y);
  if (a == Field::kNaN || b == Field::kNaN || Field::isSpecial(a))
    return Field::kNaN;
  return field.hash(key, a, b);
}

static ElementFunction makeUnary(StringRef name, const Field &field) {
  auto loop = [](auto f) { return unaryLoop<Word, Word>(f); };
  enum Kind { None, Integer, Negate, Square, Abs, Sign, Identity, Zero };
  switch (
      llvm::StringSwitch<Kind>(name)
          .Cases({"floor", "ceil", "round_nearest_afz", "round_nearest_even"},
                 Integer)
          .Case("negate", Negate)
          .Case("square", Square)
          .Case("abs", Abs)
          .Case("sign", Sign)
          .Cases({"real", "conj", "optimization_barrier"}, Identity)
          .Case("imag", Zero)
          .Default(None)) {
  case None:
    return {};
  case Integer:
    return loop([&field](Word a) {
      return Field::isSpecial(a) ? a : field.fromInt(field.toInt(a));
    });
  case Negate:
    return loop([&field](Word a) { return field.neg(a); });
  case Square:
    return loop([&field](Word a) { return field.mul(a, a); });
  case Abs:
    return loop(
        [&field](Word a) { return field.sign(a) < 0 ? field.neg(a) : a; });
  case Sign:
    return loop([&field](Word a) {
      return Field::isNaN(a) ? a : field.fromInt(field.sign(a));
    });
  case Identity:
    return loop([](Word a) { return a; });
  case Zero:
    return loop([](Word) { return Word(0); });
  }
  return {};
}

static ElementFunction makeBinary(StringRef name, const Field &field) {
  auto loop = [](auto f) { return binaryLoop<Word, Word>(f); };
  if (name == "add")
    return loop([&field](Word a, Word b) { return field.add(a, b); });
  if (name == "subtract")
    return loop([&field](Word a, Word b) { return field.sub(a, b); });
  if (name == "multiply")
    return loop([&field](Word a, Word b) { return field.mul(a, b); });
  if (name == "divide")
    return makeDivide(field);
  if (name == "maximum")
    return loop([&field](Word a, Word b) { return maximum(a, b, field); });
  if (name == "minimum")
    return loop([&field](Word a, Word b) { return minimum(a, b, field); });
  if (name == "remainder") {
    uint64_t key = field.functionKey("remainder");
    return loop(
        [&field, key](Word a, Word b) { return remainder(a, b, key, field); });
  }
  return {};
}

static ElementFunction makePredicate(StringRef name) {
  auto loop = [](auto f) { return unaryLoop<Word, int64_t>(f); };
  if (name == "is_finite")
    return loop([](Word a) { return int64_t(!Field::isSpecial(a)); });
  if (name == "is_inf")
    return loop([](Word a) {
      return int64_t(Field::isSpecial(a) && !Field::isNaN(a));
    });
  if (name == "is_pos_inf")
    return loop([](Word a) { return int64_t(a == Field::kPosInf); });
  if (name == "is_neg_inf")
    return loop([](Word a) { return int64_t(a == Field::kNegInf); });
  return {};
}

static ElementFunction makeCompare(Operation *op, const Field &field) {
  if (isTotalOrder(op))
    return compareLoop<Word>(
        getComparison(op),
        [&field](Word a, Word b) {
          return field.orderKey(a) < field.orderKey(b);
        },
        [](Word a, Word b) { return a == b; });
  auto isNumber = [](Word a, Word b) {
    return !Field::isNaN(a) && !Field::isNaN(b);
  };
  return compareLoop<Word>(
      getComparison(op),
      [&field, isNumber](Word a, Word b) {
        return isNumber(a, b) && field.orderKey(a) < field.orderKey(b);
      },
      [isNumber](Word a, Word b) { return isNumber(a, b) && a == b; });
}

ElementFunction partita::makeFieldFunction(const ElementSpec &spec,
                                           const Field &field) {
  if (spec.name == "compare")
    return makeCompare(spec.op, field);
  if (auto predicate = makePredicate(spec.name))
    return predicate;
  if (spec.name == "reduce_precision")
    return makeReducePrecision(spec, field);
  if (spec.name == "clamp")
    return [&field](const void *const *in, void *out, int64_t n) {
      auto *low = static_cast<const Word *>(in[0]),
           *x = static_cast<const Word *>(in[1]),
           *high = static_cast<const Word *>(in[2]);
      for (int64_t i = 0; i < n; ++i)
        static_cast<Word *>(out)[i] =
            minimum(maximum(low[i], x[i], field), high[i], field);
    };
  if (spec.name == "complex")
    return binaryLoop<Word, FieldComplex>(
        [](Word a, Word b) { return FieldComplex{a, b}; });
  if (spec.operands.size() == 1) {
    if (auto function = makeUnary(spec.name, field))
      return function;
    return makeHashedUnary(spec, field);
  }
  if (auto function = makeBinary(spec.name, field))
    return function;
  return makeHashedBinary(spec, field);
}

//===----------------------------------------------------------------------===//
// Complex numbers
//===----------------------------------------------------------------------===//

static FieldComplex multiply(FieldComplex a, FieldComplex b, const Field &f) {
  return {f.sub(f.mul(a.re, b.re), f.mul(a.im, b.im)),
          f.add(f.mul(a.re, b.im), f.mul(a.im, b.re))};
}

static FieldComplex divide(FieldComplex a, FieldComplex b, const Field &f) {
  Word norm = f.add(f.mul(b.re, b.re), f.mul(b.im, b.im));
  FieldComplex product = multiply(a, {b.re, f.neg(b.im)}, f);
  return {f.div(product.re, norm), f.div(product.im, norm)};
}

static ElementFunction makeComplexUnary(const ElementSpec &spec,
                                        const Field &field) {
  auto loop = [](auto f) { return unaryLoop<FieldComplex, FieldComplex>(f); };
  StringRef name = spec.name;
  if (name == "negate")
    return loop([&field](FieldComplex a) {
      return FieldComplex{field.neg(a.re), field.neg(a.im)};
    });
  if (name == "conj")
    return loop([&field](FieldComplex a) {
      return FieldComplex{a.re, field.neg(a.im)};
    });
  if (name == "square")
    return loop([&field](FieldComplex a) { return multiply(a, a, field); });
  if (name == "optimization_barrier")
    return loop([](FieldComplex a) { return a; });
  if (!makeComplexFunction({name, {spec.operands[0]}, spec.result, spec.op}))
    return {};
  uint64_t re = field.functionKey(name, "re " + typeName(spec.result));
  uint64_t im = field.functionKey(name, "im " + typeName(spec.result));
  return loop([&field, re, im](FieldComplex a) {
    if (Field::isNaN(a.re) || Field::isNaN(a.im))
      return FieldComplex{Field::kNaN, Field::kNaN};
    return FieldComplex{field.hash(re, a.re, a.im), field.hash(im, a.re, a.im)};
  });
}

static ElementFunction makeComplexBinary(const ElementSpec &spec,
                                         const Field &field) {
  auto loop = [](auto f) { return binaryLoop<FieldComplex, FieldComplex>(f); };
  StringRef name = spec.name;
  if (name == "add")
    return loop([&field](FieldComplex a, FieldComplex b) {
      return FieldComplex{field.add(a.re, b.re), field.add(a.im, b.im)};
    });
  if (name == "subtract")
    return loop([&field](FieldComplex a, FieldComplex b) {
      return FieldComplex{field.sub(a.re, b.re), field.sub(a.im, b.im)};
    });
  if (name == "multiply")
    return loop([&field](FieldComplex a, FieldComplex b) {
      return multiply(a, b, field);
    });
  if (name == "divide")
    return loop([&field](FieldComplex a, FieldComplex b) {
      return divide(a, b, field);
    });
  if (!makeComplexFunction({name, spec.operands, spec.result, spec.op}))
    return {};
  uint64_t key = field.functionKey(name, typeName(spec.result));
  return loop([&field, key](FieldComplex a, FieldComplex b) {
    uint64_t first = field.mix(key, a.re, a.im),
             second = field.mix(key + 1, b.re, b.im);
    return FieldComplex{field.hash(key + 2, first, second),
                        field.hash(key + 3, first, second)};
  });
}

ElementFunction partita::makeComplexFieldFunction(const ElementSpec &spec,
                                                  const Field &field) {
  StringRef name = spec.name;
  if (name == "compare") {
    Comparison comparison = getComparison(spec.op);
    if (comparison != Comparison::EQ && comparison != Comparison::NE)
      return {};
    return compareLoop<FieldComplex>(
        comparison, [](FieldComplex, FieldComplex) { return false; },
        [](FieldComplex a, FieldComplex b) { return a == b; });
  }
  if (name == "real")
    return unaryLoop<FieldComplex, Word>([](FieldComplex a) { return a.re; });
  if (name == "imag")
    return unaryLoop<FieldComplex, Word>([](FieldComplex a) { return a.im; });
  if (name == "abs") {
    uint64_t key = field.functionKey("abs", typeName(spec.operands[0]));
    return unaryLoop<FieldComplex, Word>([&field, key](FieldComplex a) {
      return a.re == 0 && a.im == 0 ? Word(0) : field.hash(key, a.re, a.im);
    });
  }
  return spec.operands.size() == 1 ? makeComplexUnary(spec, field)
                                   : makeComplexBinary(spec, field);
}
