// Integer and float instructions, conversions and comparisons.
#include "PtxArithmetic.h"
#include "lib/Runtime/Numbers.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

using namespace ptx;
using partita::runtime::BF16;
using partita::runtime::F16;

static std::string describe(const Instruction &i, const char *message) {
  return "line " + std::to_string(i.line) + ": " + message;
}

int ptx::getBits(Type type) {
  switch (type) {
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 8;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
    return 16;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 64;
  case Type::Pred:
    return 1;
  default:
    return 32;
  }
}

bool ptx::isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}
static bool isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64;
}

uint64_t ptx::truncate(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// The value as 64 bits: signed types with their sign.
int64_t ptx::extend(uint64_t value, Type type) {
  int shift = 64 - getBits(type);
  return isSigned(type) ? int64_t(value << shift) >> shift
                        : int64_t(truncate(value, getBits(type)));
}

static double toDouble(uint64_t bits, Type type) {
  switch (type) {
  case Type::F64:
    return std::bit_cast<double>(bits);
  case Type::F32:
    return std::bit_cast<float>(uint32_t(bits));
  case Type::F16: {
    F16 half;
    half.bits = uint16_t(bits);
    return float(half);
  }
  default: {
    BF16 half;
    half.bits = uint16_t(bits);
    return float(half);
  }
  }
}

static uint64_t fromFloat(float value, Type type) {
  if (type == Type::F16)
    return F16(value).bits;
  if (type == Type::BF16)
    return BF16(value).bits;
  return std::bit_cast<uint32_t>(value);
}

static int getRounding(uint32_t flags) {
  return flags & RoundZero   ? FE_TOWARDZERO
         : flags & RoundUp   ? FE_UPWARD
         : flags & RoundDown ? FE_DOWNWARD
                             : FE_TONEAREST;
}

template <typename T> static T roundToInteger(T value, uint32_t flags) {
  return flags & RoundZero   ? std::trunc(value)
         : flags & RoundUp   ? std::ceil(value)
         : flags & RoundDown ? std::floor(value)
                             : std::nearbyint(value);
}

template <typename T> static T flush(T value, bool on) {
  return on && std::fpclassify(value) == FP_SUBNORMAL
             ? std::copysign(T(0), value)
             : value;
}

template <typename T>
static T computeFloat(const Instruction &i, T a, T b, T c, std::string &error) {
  bool ftz = i.flags & Ftz;
  a = flush(a, ftz);
  b = flush(b, ftz);
  int mode = getRounding(i.flags);
  if (mode != FE_TONEAREST)
    std::fesetround(mode);
  volatile T x = a, y = b, z = c, r = 0;
  switch (i.op) {
  case Op::Add:
    r = x + y;
    break;
  case Op::Sub:
    r = x - y;
    break;
  case Op::Mul:
    r = x * y;
    break;
  case Op::Mad:
  case Op::Fma:
    r = std::fma(T(x), T(y), T(z));
    break;
  case Op::Div:
    r = x / y;
    break;
  case Op::Abs:
    r = std::fabs(T(x));
    break;
  case Op::Neg:
    r = -x;
    break;
  case Op::Min:
  case Op::Max: {
    bool isMax = i.op == Op::Max, isNaN = x != x || y != y;
    if (isNaN && ((i.flags & NaN) || (x != x && y != y)))
      r = std::numeric_limits<T>::quiet_NaN();
    else if (isNaN)
      r = x != x ? y : x;
    else if (x == y)
      r = std::signbit(T(x)) == isMax ? y : x;
    else
      r = (x > y) == isMax ? x : y;
    break;
  }
  case Op::Sqrt:
    r = std::sqrt(T(x));
    break;
  case Op::Rsqrt:
    r = T(1) / std::sqrt(T(x));
    break;
  case Op::Rcp:
    r = T(1) / x;
    break;
  case Op::Ex2:
    r = std::exp2(T(x));
    break;
  case Op::Lg2:
    r = std::log2(T(x));
    break;
  case Op::Sin:
    r = std::sin(T(x));
    break;
  case Op::Cos:
    r = std::cos(T(x));
    break;
  case Op::Tanh:
    r = std::tanh(T(x));
    break;
  case Op::Copysign:
    r = std::copysign(T(y), T(x));
    break;
  default:
    error = describe(i, "no such operation on floats");
  }
  if (mode != FE_TONEAREST)
    std::fesetround(FE_TONEAREST);
  T result = flush(T(r), ftz);
  if (i.flags & Sat)
    result = result > 0 ? std::fmin(result, T(1)) : T(0);
  return result;
}

static uint64_t computeInteger(const Instruction &i, bool &carryFlag,
                               uint64_t a, uint64_t b, uint64_t c,
                               std::string &error) {
  int bits = getBits(i.type);
  using Wider = unsigned __int128;
  int64_t sa = extend(a, i.type), sb = extend(b, i.type);
  uint64_t ua = truncate(a, bits), ub = truncate(b, bits),
           uc = truncate(c, bits);
  auto withCarry = [&](Wider sum) {
    if (i.flags & Carry)
      carryFlag = (sum >> bits) & 1;
    return uint64_t(sum);
  };
  uint64_t carry = i.flags & UseCarry ? carryFlag : 0;
  switch (i.op) {
  case Op::Add:
    return withCarry(Wider(ua) + ub + carry);
  case Op::Sub: {
    Wider difference = Wider(ua) - ub - carry;
    return withCarry(difference);
  }
  case Op::Mul:
  case Op::Mad: {
    __int128 product =
        isSigned(i.type) ? __int128(sa) * sb : __int128(Wider(ua) * ub);
    if (i.flags & Wide)
      return uint64_t(product) + (i.op == Op::Mad ? c : 0);
    uint64_t part = truncate(
        i.flags & Hi ? uint64_t(product >> bits) : uint64_t(product), bits);
    return i.op == Op::Mad ? withCarry(Wider(part) + uc + carry) : part;
  }
  case Op::Div:
    if (ub == 0)
      return ~uint64_t(0);
    return isSigned(i.type) ? (sb == -1 ? uint64_t(-sa) : uint64_t(sa / sb))
                            : ua / ub;
  case Op::Rem:
    if (ub == 0)
      return ua;
    return isSigned(i.type) ? (sb == -1 ? 0 : uint64_t(sa % sb)) : ua % ub;
  case Op::Abs:
    return uint64_t(sa < 0 ? -sa : sa);
  case Op::Neg:
    return uint64_t(-sa);
  case Op::Min:
    return isSigned(i.type) ? uint64_t(std::min(sa, sb)) : std::min(ua, ub);
  case Op::Max:
    return isSigned(i.type) ? uint64_t(std::max(sa, sb)) : std::max(ua, ub);
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Not:
    return i.type == Type::Pred ? !a : ~a;
  case Op::Shl:
    return uint32_t(b) >= uint32_t(bits) ? 0 : a << uint32_t(b);
  case Op::Shr: {
    uint32_t by = std::min<uint32_t>(uint32_t(b), uint32_t(bits));
    if (isSigned(i.type))
      return uint64_t(sa >> std::min<uint32_t>(by, 63));
    return by >= 64 ? 0 : ua >> by;
  }
  case Op::Shf: {
    uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a);
    uint32_t by =
        i.flags & Wrap ? uint32_t(c) & 31 : std::min<uint32_t>(uint32_t(c), 32);
    return i.flags & Left ? uint32_t(both << by >> 32) : uint32_t(both >> by);
  }
  case Op::Popc:
    return uint64_t(std::popcount(ua));
  case Op::Clz:
    return uint64_t(std::countl_zero(ua) - (64 - bits));
  case Op::Brev: {
    uint64_t result = 0;
    for (int k = 0; k < bits; ++k)
      result |= (ua >> k & 1) << (bits - 1 - k);
    return result;
  }
  case Op::Bfe: {
    uint32_t from = uint32_t(b) & 255, length = uint32_t(c) & 255;
    if (isSigned(i.type)) {
      error = describe(i, "signed bfe");
      return 0;
    }
    return length == 0 || from >= 64
               ? 0
               : truncate(ua >> from, std::min<int>(int(length), 64));
  }
  case Op::Prmt: {
    uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a), result = 0;
    for (int k = 0; k < 4; ++k) {
      uint32_t selector = uint32_t(c >> 4 * k) & 15;
      uint64_t byte = both >> 8 * (selector & 7) & 255;
      if (selector & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << 8 * k;
    }
    return result;
  }
  default:
    error = describe(i, "no such operation on integers");
    return 0;
  }
}

uint64_t ptx::compute(const Instruction &i, bool &carry, uint64_t a, uint64_t b,
                      uint64_t c, std::string &error) {
  switch (i.type) {
  case Type::F64:
    return std::bit_cast<uint64_t>(computeFloat<double>(
        i, std::bit_cast<double>(a), std::bit_cast<double>(b),
        std::bit_cast<double>(c), error));
  case Type::F32:
    return std::bit_cast<uint32_t>(computeFloat<float>(
        i, std::bit_cast<float>(uint32_t(a)), std::bit_cast<float>(uint32_t(b)),
        std::bit_cast<float>(uint32_t(c)), error));
  case Type::F16:
  case Type::BF16:
    if (i.op == Op::Neg)
      return a ^ 0x8000;
    if (i.op == Op::Abs)
      return a & 0x7fff;
    return fromFloat(
        float(computeFloat<double>(i, toDouble(a, i.type), toDouble(b, i.type),
                                   toDouble(c, i.type), error)),
        i.type);
  default: {
    uint64_t value = computeInteger(i, carry, a, b, c, error);
    bool isCount = i.op == Op::Popc || i.op == Op::Clz;
    int bits = getBits(i.type);
    return truncate(value, i.flags & Wide ? 2 * bits : isCount ? 32 : bits);
  }
  }
}

uint64_t ptx::convert(const Instruction &i, uint64_t a, std::string &error) {
  Type to = i.type, from = i.from;
  if (!isFloat(from) && !isFloat(to)) {
    int64_t value = extend(a, from);
    if (i.flags & Sat)
      error = describe(i, "saturating conversion of integers");
    return truncate(uint64_t(value), getBits(to));
  }
  if (!isFloat(from)) { // integer to float
    int64_t value = extend(a, from);
    bool isUnsigned = !isSigned(from);
    if (to == Type::F64)
      return std::bit_cast<uint64_t>(isUnsigned ? double(uint64_t(value))
                                                : double(value));
    return fromFloat(isUnsigned ? float(uint64_t(value)) : float(value), to);
  }
  double value = toDouble(a, from);
  if (!isFloat(to)) {
    if (value != value)
      return 0;
    value = roundToInteger(value, i.flags);
    int bits = getBits(to);
    if (isSigned(to)) {
      double limit = std::ldexp(1.0, bits - 1);
      int64_t result = value >= limit ? int64_t((uint64_t(1) << (bits - 1)) - 1)
                       : value <= -limit ? -int64_t(uint64_t(1) << (bits - 1))
                                         : int64_t(value);
      return truncate(uint64_t(result), bits);
    }
    if (value <= 0)
      return 0;
    return value >= std::ldexp(1.0, bits) ? truncate(~uint64_t(0), bits)
                                          : uint64_t(value);
  }
  if (i.flags & RoundInteger)
    value = roundToInteger(value, i.flags);
  if (i.flags & Sat)
    value = value > 0 ? std::fmin(value, 1.0) : 0.0;
  if (to == Type::F64)
    return std::bit_cast<uint64_t>(value);
  int mode = i.flags & RoundInteger ? FE_TONEAREST : getRounding(i.flags);
  if (mode != FE_TONEAREST)
    std::fesetround(mode);
  volatile float narrow = float(value);
  if (mode != FE_TONEAREST)
    std::fesetround(FE_TONEAREST);
  return fromFloat(flush(float(narrow), i.flags & Ftz), to);
}

bool ptx::compare(const Instruction &i, uint64_t a, uint64_t b) {
  auto decide = [&](auto x, auto y) {
    switch (i.compare) {
    case Compare::Eq:
      return x == y;
    case Compare::Ne:
      return x != y;
    case Compare::Lt:
      return x < y;
    case Compare::Le:
      return x <= y;
    case Compare::Gt:
      return x > y;
    default:
      return x >= y;
    }
  };
  if (isFloat(i.type)) {
    double x = toDouble(a, i.type), y = toDouble(b, i.type);
    bool isOrdered = x == x && y == y;
    if (i.compare == Compare::Num || i.compare == Compare::Nan)
      return isOrdered == (i.compare == Compare::Num);
    return isOrdered ? decide(x, y) : (i.flags & Unordered) != 0;
  }
  int64_t x = extend(a, i.type), y = extend(b, i.type);
  return isSigned(i.type) ? decide(x, y) : decide(uint64_t(x), uint64_t(y));
}
