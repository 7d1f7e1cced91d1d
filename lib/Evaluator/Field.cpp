// The prime field: reduction, flags, embeddings, order and hash functions.
#include "partita/Evaluator/Field.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace partita;
using Word = Field::Word;

/// A bijective mixer of 64 bits.
static uint64_t scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

Field::Field(Word prime, uint64_t seed, bool smallNearTop)
    : prime(prime), seed(seed), smallNearTop(smallNearTop) {
  if (prime != kGoldilocks)
    barrett = Word((Wide(1) << 124) / prime);
  Word high = Word((Wide(1) << 64) % prime);
  wrap = Word(Wide(high) * high % prime);
  // Uniform in the exponent: 2^31 keeps every small integer in true order.
  double exponent = 31 + 9.0 * double(scramble(seed + 17) >> 11) * 0x1p-53;
  Word start = Word(std::exp2(exponent));
  orderStart = smallNearTop ? start : prime - start;
}

//===----------------------------------------------------------------------===//
// Primes and roots
//===----------------------------------------------------------------------===//

static Word powModulo(Word base, uint64_t exponent, Word modulus) {
  Word result = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = Word(Field::Wide(result) * base % modulus);
    base = Word(Field::Wide(base) * base % modulus);
  }
  return result;
}

/// Miller-Rabin with the bases that decide all numbers of 64 bits.
static bool isPrime(Word n) {
  unsigned twos = llvm::countr_zero(n - 1);
  for (Word base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    if (n % base == 0)
      return n == base;
    Word x = powModulo(base, (n - 1) >> twos, n);
    bool composite = x != 1 && x != n - 1;
    for (unsigned i = 1; i < twos && composite; ++i) {
      x = Word(Field::Wide(x) * x % n);
      composite = x != n - 1;
    }
    if (composite)
      return false;
  }
  return true;
}

Word Field::findPrime(uint64_t seed) {
  for (uint64_t i = 0;; ++i) {
    Word candidate =
        (scramble(seed * 0x9e3779b97f4a7c15ull + i) >> 3) | (1ull << 61);
    candidate = (candidate & ~((1ull << 20) - 1)) | 1;
    if (candidate < (1ull << 62) && isPrime(candidate))
      return candidate;
  }
}

std::optional<Word> Field::rootOfUnity(uint64_t n) const {
  if (n == 0 || (prime - 1) % n)
    return std::nullopt;
  if (n == 1)
    return Word(1);
  llvm::SmallVector<uint64_t, 8> factors;
  uint64_t rest = n;
  for (uint64_t f = 2; f * f <= rest; ++f)
    if (rest % f == 0) {
      factors.push_back(f);
      while (rest % f == 0)
        rest /= f;
    }
  if (rest > 1)
    factors.push_back(rest);
  // Some power of a small number has exact order n.
  for (Word base = 3;; ++base) {
    Word root = powFinite(base, (prime - 1) / n);
    bool primitive = true;
    for (uint64_t f : factors)
      primitive &= powFinite(root, n / f) != 1;
    if (primitive)
      return root;
  }
}

Word Field::powFinite(Word base, uint64_t exponent) const {
  Word result = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = mulFinite(result, base);
    base = mulFinite(base, base);
  }
  return result;
}

Word Field::reduceSum(Wide value, uint64_t carry) const {
  Word rest;
  if (prime == kGoldilocks)
    rest = reduceGoldilocks(value);
  else
    rest = addFinite(
        mulFinite(Word(value >> 64) % prime, Word((Wide(1) << 64) % prime)),
        Word(value) % prime);
  return carry == 0 ? rest : addFinite(rest, mulFinite(carry % prime, wrap));
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

Word Field::addSpecial(Word a, Word b) const {
  if (a == kNaN || b == kNaN)
    return kNaN;
  if (!isSpecial(a))
    return b;
  if (!isSpecial(b) || a == b)
    return a;
  return kNaN; // inf - inf
}

Word Field::mulSpecial(Word a, Word b) const {
  if (a == kNaN || b == kNaN)
    return kNaN;
  int signA = isSpecial(a) ? (a == kPosInf ? 1 : -1) : sign(a);
  int signB = isSpecial(b) ? (b == kPosInf ? 1 : -1) : sign(b);
  if (signA * signB == 0)
    return kNaN;
  return signA * signB > 0 ? kPosInf : kNegInf;
}

Word Field::neg(Word a) const {
  if (LLVM_LIKELY(!isSpecial(a)))
    return negFinite(a);
  return a == kPosInf ? kNegInf : a == kNegInf ? kPosInf : kNaN;
}

Word Field::div(Word a, Word b) const {
  if (LLVM_UNLIKELY(isSpecial(a) || isSpecial(b))) {
    if (a == kNaN || b == kNaN || (isSpecial(a) && isSpecial(b)))
      return kNaN;
    if (isSpecial(b))
      return 0;
    return sign(b) < 0 ? neg(a) : a;
  }
  if (b == 0)
    return hash(functionKey("divide by zero"), a);
  return mulFinite(a, invFinite(b));
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

Word Field::fromInt(int64_t value) const {
  if (value >= 0)
    return fromUnsigned(uint64_t(value));
  return negFinite(fromUnsigned(0 - uint64_t(value)));
}

Word Field::fromUnsigned(uint64_t value) const {
  return value < prime ? value : value % prime;
}

Word Field::fromDouble(double value) const {
  if (std::isnan(value))
    return kNaN;
  if (std::isinf(value))
    return value > 0 ? kPosInf : kNegInf;
  int exponent;
  double fraction = std::frexp(value, &exponent);
  Word mantissa = fromInt(int64_t(std::ldexp(fraction, 53)));
  exponent -= 53;
  Word scale = powFinite(2, std::abs(exponent));
  return mulFinite(mantissa, exponent < 0 ? invFinite(scale) : scale);
}

std::optional<int64_t> Field::asSmallInt(Word a) const {
  constexpr Word limit = 1ull << 31;
  if (a < limit)
    return int64_t(a);
  if (!isSpecial(a) && prime - a < limit)
    return -int64_t(prime - a);
  return std::nullopt;
}

int64_t Field::toInt(Word a) const {
  if (auto small = asSmallInt(a))
    return *small;
  if (isSpecial(a))
    return a == kPosInf ? INT32_MAX : a == kNegInf ? INT32_MIN : 0;
  return int64_t(mix(functionKey("to integer"), a) >> 33);
}

double Field::toDouble(Word a) const {
  if (auto small = asSmallInt(a))
    return double(*small);
  if (a == kPosInf)
    return std::numeric_limits<double>::infinity();
  if (a == kNegInf)
    return -std::numeric_limits<double>::infinity();
  if (a == kNaN)
    return std::numeric_limits<double>::quiet_NaN();
  return double(a) / double(prime) + 0x1p31;
}

int Field::sign(Word a) const {
  if (a == 0 || a == kNaN)
    return 0;
  if (isSpecial(a))
    return a == kPosInf ? 1 : -1;
  return a <= prime / 2 ? 1 : -1;
}

//===----------------------------------------------------------------------===//
// Hash functions
//===----------------------------------------------------------------------===//

uint64_t Field::functionKey(llvm::StringRef name,
                            llvm::StringRef format) const {
  uint64_t key = scramble(seed ^ 0x5851f42d4c957f2dull);
  for (llvm::StringRef text : {name, format}) {
    for (char c : text)
      key = scramble(key + uint8_t(c) + 1);
    key = scramble(key ^ 0xa0761d6478bd642full);
  }
  return key;
}

uint64_t Field::mix(uint64_t key, uint64_t a, uint64_t b) const {
  uint64_t x = scramble(key + 0x9e3779b97f4a7c15ull * (a + 1));
  return scramble(x ^ (scramble(key ^ b) + 0xd6e8feb86659fd93ull));
}
