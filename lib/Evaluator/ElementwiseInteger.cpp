// Elementwise functions of integers and booleans: computed on 64 bits, wrapped
// to the width of the type.
#include "Element.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace partita;

namespace {
/// Width and signedness of an integer type, for wrapping in loops.
struct IntegerFormat {
  explicit IntegerFormat(Type type)
      : shift(64 - getIntegerBits(type)), bits(64 - shift),
        isUnsigned(isUnsignedType(type)) {}
  int64_t wrap(int64_t x) const {
    return isUnsigned ? int64_t(uint64_t(x) << shift >> shift)
                      : int64_t(uint64_t(x) << shift) >> shift;
  }
  uint64_t mask(int64_t x) const { return uint64_t(x) << shift >> shift; }
  bool less(int64_t a, int64_t b) const {
    return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
  }
  unsigned shift, bits;
  bool isUnsigned;
};
} // namespace

static int64_t divide(int64_t a, int64_t b, const IntegerFormat &f) {
  if (b == 0)
    return -1;
  if (f.isUnsigned)
    return int64_t(uint64_t(a) / uint64_t(b));
  return b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
}

static int64_t remainder(int64_t a, int64_t b, const IntegerFormat &f) {
  if (b == 0)
    return a;
  if (f.isUnsigned)
    return int64_t(uint64_t(a) % uint64_t(b));
  return b == -1 ? 0 : a % b;
}

static int64_t power(int64_t base, int64_t exponent, const IntegerFormat &f) {
  if (!f.isUnsigned && exponent < 0) {
    if (base == 1)
      return 1;
    if (base == -1)
      return exponent % 2 ? -1 : 1;
    return base == 0 ? -1 : 0;
  }
  uint64_t result = 1, square = base;
  for (uint64_t e = exponent; e; e >>= 1, square *= square)
    if (e & 1)
      result *= square;
  return int64_t(result);
}

static int64_t multiplyHigh(int64_t a, int64_t b, const IntegerFormat &f) {
  if (f.isUnsigned)
    return int64_t(
        uint64_t((Field::Wide(uint64_t(a)) * uint64_t(b)) >> f.bits));
  __extension__ using SignedWide = __int128;
  return int64_t((SignedWide(a) * b) >> f.bits);
}

static ElementFunction makeUnary(StringRef name, IntegerFormat f) {
  auto loop = [](auto g) { return unaryLoop<int64_t, int64_t>(g); };
  if (name == "abs")
    return loop([f](int64_t x) {
      return !f.isUnsigned && x < 0 ? f.wrap(0 - uint64_t(x)) : x;
    });
  if (name == "negate")
    return loop([f](int64_t x) { return f.wrap(int64_t(0 - uint64_t(x))); });
  if (name == "sign")
    return loop([f](int64_t x) {
      return x == 0                   ? int64_t(0)
             : !f.isUnsigned && x < 0 ? int64_t(-1)
                                      : int64_t(1);
    });
  if (name == "not")
    return loop([f](int64_t x) { return f.wrap(~x); });
  if (name == "count_leading_zeros")
    return loop([f](int64_t x) {
      return int64_t(llvm::countl_zero(f.mask(x))) - int64_t(f.shift);
    });
  if (name == "popcnt")
    return loop([f](int64_t x) { return int64_t(llvm::popcount(f.mask(x))); });
  if (name == "square")
    return loop(
        [f](int64_t x) { return f.wrap(int64_t(uint64_t(x) * uint64_t(x))); });
  if (name == "optimization_barrier")
    return loop([](int64_t x) { return x; });
  return {};
}

static ElementFunction makeArithmetic(StringRef name, IntegerFormat f) {
  auto loop = [](auto g) { return binaryLoop<int64_t, int64_t>(g); };
  // Booleans: the sum is or, the product is and; both follow from 64 bits
  // except true + true.
  if (name == "add" && f.bits == 1)
    return loop([](int64_t a, int64_t b) { return a | b; });
  if (name == "add")
    return loop([f](int64_t a, int64_t b) {
      return f.wrap(int64_t(uint64_t(a) + uint64_t(b)));
    });
  if (name == "subtract")
    return loop([f](int64_t a, int64_t b) {
      return f.wrap(int64_t(uint64_t(a) - uint64_t(b)));
    });
  if (name == "multiply")
    return loop([f](int64_t a, int64_t b) {
      return f.wrap(int64_t(uint64_t(a) * uint64_t(b)));
    });
  if (name == "divide")
    return loop([f](int64_t a, int64_t b) { return f.wrap(divide(a, b, f)); });
  if (name == "remainder")
    return loop(
        [f](int64_t a, int64_t b) { return f.wrap(remainder(a, b, f)); });
  if (name == "power")
    return loop([f](int64_t a, int64_t b) { return f.wrap(power(a, b, f)); });
  if (name == "mulhi")
    return loop(
        [f](int64_t a, int64_t b) { return f.wrap(multiplyHigh(a, b, f)); });
  if (name == "maximum")
    return loop([f](int64_t a, int64_t b) { return f.less(a, b) ? b : a; });
  if (name == "minimum")
    return loop([f](int64_t a, int64_t b) { return f.less(b, a) ? b : a; });
  return {};
}

static ElementFunction makeBitwise(StringRef name, IntegerFormat f) {
  auto loop = [](auto g) { return binaryLoop<int64_t, int64_t>(g); };
  if (name == "and")
    return loop([](int64_t a, int64_t b) { return a & b; });
  if (name == "or")
    return loop([](int64_t a, int64_t b) { return a | b; });
  if (name == "xor")
    return loop([](int64_t a, int64_t b) { return a ^ b; });
  // Shifts by the width or more (or a negative amount) lose all bits.
  if (name == "shift_left")
    return loop([f](int64_t a, int64_t b) {
      return f.mask(b) >= f.bits ? 0 : f.wrap(int64_t(uint64_t(a) << b));
    });
  if (name == "shift_right_logical")
    return loop([f](int64_t a, int64_t b) {
      return f.mask(b) >= f.bits ? 0 : f.wrap(int64_t(f.mask(a) >> b));
    });
  if (name == "shift_right_arithmetic")
    return loop([f](int64_t a, int64_t b) {
      int64_t extended = int64_t(uint64_t(a) << f.shift) >> f.shift;
      uint64_t amount = f.mask(b);
      return f.wrap(extended >> (amount >= f.bits ? f.bits - 1 : amount));
    });
  return {};
}

ElementFunction partita::makeIntegerFunction(const ElementSpec &spec) {
  IntegerFormat f(spec.operands[0]);
  if (spec.name == "compare")
    return compareLoop<int64_t>(
        getComparison(spec.op),
        [f](int64_t a, int64_t b) { return f.less(a, b); },
        [](int64_t a, int64_t b) { return a == b; });
  if (spec.name == "clamp")
    return [f](const void *const *in, void *out, int64_t n) {
      auto *low = static_cast<const int64_t *>(in[0]),
           *x = static_cast<const int64_t *>(in[1]),
           *high = static_cast<const int64_t *>(in[2]);
      for (int64_t i = 0; i < n; ++i) {
        int64_t value = f.less(x[i], low[i]) ? low[i] : x[i];
        static_cast<int64_t *>(out)[i] =
            f.less(high[i], value) ? high[i] : value;
      }
    };
  if (spec.operands.size() == 1)
    return makeUnary(spec.name, f);
  if (auto function = makeArithmetic(spec.name, f))
    return function;
  return makeBitwise(spec.name, f);
}
