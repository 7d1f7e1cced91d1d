// Arithmetic of the prime field on which partitions are compared exactly
// (DESIGN 9). No IR. A residue is one 64-bit word; infinities and NaN are words
// that are no residue, so that a tensor of field values is an array of words.
#ifndef PARTITA_EVALUATOR_FIELD_H
#define PARTITA_EVALUATOR_FIELD_H

#include "llvm/ADT/StringRef.h"
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

namespace partita {

/// A prime field with the order and the hash functions of one seed.
///
/// Values < prime are residues; the three words below are flags. All functions
/// accept and return both.
class Field {
public:
  using Word = uint64_t;
  __extension__ using Wide = unsigned __int128;

  static constexpr Word kGoldilocks = 0xFFFFFFFF00000001ull; // 2^64 - 2^32 + 1
  static constexpr Word kPosInf = ~0ull;
  static constexpr Word kNegInf = ~0ull - 1;
  static constexpr Word kNaN = ~0ull - 2;

  /// The field of `prime` (kGoldilocks, or a prime of 62 bits with prime = 1
  /// mod 2^20). `seed` keys the hash functions and the start of the order;
  /// `smallNearTop` places zero and small integers near the top of the order,
  /// else near the bottom. Seeds are used in such pairs.
  Field(Word prime, uint64_t seed, bool smallNearTop);

  /// A random prime of 62 bits with p = 1 mod 2^20, for modules whose constants
  /// collide modulo kGoldilocks.
  static Word findPrime(uint64_t seed);

  Word getPrime() const { return prime; }
  uint64_t getSeed() const { return seed; }
  bool isSmallNearTop() const { return smallNearTop; }
  static bool isSpecial(Word a) { return a >= kNaN; }
  static bool isNaN(Word a) { return a == kNaN; }

  // Ring operations on residues only.
  Word addFinite(Word a, Word b) const {
    Word sum = a + b;
    return sum < a || sum >= prime ? sum - prime : sum;
  }
  Word subFinite(Word a, Word b) const {
    return a >= b ? a - b : a + (prime - b);
  }
  Word mulFinite(Word a, Word b) const { return reduce(Wide(a) * b); }
  Word negFinite(Word a) const { return a == 0 ? 0 : prime - a; }
  /// Multiplicative inverse; 0 for 0.
  Word invFinite(Word a) const { return powFinite(a, prime - 2); }
  Word powFinite(Word base, uint64_t exponent) const;
  /// Remainder of a product of two residues.
  Word reduce(Wide value) const {
    return prime == kGoldilocks ? reduceGoldilocks(value)
                                : reduceBarrett(value);
  }
  /// Remainder of value + carry * 2^128, for sums of products.
  Word reduceSum(Wide value, uint64_t carry) const;

  // The same with flags, as IEEE propagates them.
  Word add(Word a, Word b) const {
    if (LLVM_LIKELY(a < kNaN && b < kNaN))
      return addFinite(a, b);
    return addSpecial(a, b);
  }
  Word neg(Word a) const;
  Word sub(Word a, Word b) const { return add(a, neg(b)); }
  Word mul(Word a, Word b) const {
    if (LLVM_LIKELY(a < kNaN && b < kNaN))
      return mulFinite(a, b);
    return mulSpecial(a, b);
  }
  /// Quotient; x / 0 is a fixed function of x.
  Word div(Word a, Word b) const;

  // Embeddings.
  Word fromInt(int64_t value) const;
  Word fromUnsigned(uint64_t value) const;
  /// The dyadic rational `value` modulo the prime, or a flag.
  Word fromDouble(double value) const;
  /// The integer that a residue of absolute value below 2^31 is.
  std::optional<int64_t> asSmallInt(Word a) const;
  /// asSmallInt, and for other residues a hash in [0, 2^31).
  int64_t toInt(Word a) const;
  /// Small integers and flags as they are; other residues as a fraction in
  /// [0, 1) plus 2^31. For printing.
  double toDouble(Word a) const;

  /// -1 or 1 by the sign of the centred residue, 0 for zero.
  int sign(Word a) const;
  /// Position in the order: -inf first, then residues from the start, +inf; NaN
  /// last.
  Wide orderKey(Word a) const {
    if (LLVM_UNLIKELY(a >= kNaN))
      return a == kNegInf   ? Wide(0)
             : a == kPosInf ? Wide(1) << 100
                            : Wide(1) << 101;
    return Wide(subFinite(a, orderStart)) + 1;
  }

  // Fixed pseudo-random functions.
  /// Key of a function that is called `name` and acts on `format`.
  uint64_t functionKey(llvm::StringRef name, llvm::StringRef format = "") const;
  /// Pseudo-random word of 64 bits.
  uint64_t mix(uint64_t key, uint64_t a, uint64_t b = 0) const;
  /// Pseudo-random residue.
  Word hash(uint64_t key, Word a, Word b = 0) const {
    return mix(key, a, b) % prime;
  }

  /// A primitive root of unity of order `n`, if the field has one.
  std::optional<Word> rootOfUnity(uint64_t n) const;
  /// The square root of -1 that stands for i in twiddle factors.
  std::optional<Word> imaginaryUnit() const { return rootOfUnity(4); }

private:
  static Word reduceGoldilocks(Wide value) {
    constexpr Word p = kGoldilocks, epsilon = 0xFFFFFFFFull;
    Word low = Word(value), high = Word(value >> 64);
    Word highHigh = high >> 32, highLow = high & epsilon;
    // 2^96 = -1 and 2^64 = 2^32 - 1 modulo p.
    Word t = low - highHigh;
    if (low < highHigh)
      t -= epsilon;
    Word product = highLow * epsilon;
    Word sum = t + product;
    if (sum < t)
      sum += epsilon;
    return sum >= p ? sum - p : sum;
  }
  Word reduceBarrett(Wide value) const {
    // 2^61 <= prime < 2^62 and value < 2^124.
    Wide quotient = (Wide(Word(value >> 61)) * barrett) >> 63;
    Word rest = Word(value) - Word(quotient) * prime;
    while (rest >= prime)
      rest -= prime;
    return rest;
  }
  Word addSpecial(Word a, Word b) const;
  Word mulSpecial(Word a, Word b) const;

  Word prime;
  Word barrett = 0; // floor(2^124 / prime)
  Word wrap;        // 2^128 mod prime
  Word orderStart;
  uint64_t seed;
  bool smallNearTop;
};

} // namespace partita

#endif
