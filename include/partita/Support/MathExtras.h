// Integer arithmetic of block layouts. No IR.
#ifndef PARTITA_SUPPORT_MATHEXTRAS_H
#define PARTITA_SUPPORT_MATHEXTRAS_H

#include <algorithm>
#include <cstdint>

namespace partita {

/// ceil(a / b) for a >= 0, b > 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// floor(a / b) for b > 0, correct for negative a.
constexpr int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Elements of a dimension of size `n` that block `i` of `k` holds: blocks have
/// ceil(n/k) elements, the last ones fewer or none.
constexpr int64_t validExtent(int64_t n, int64_t k, int64_t i) {
  int64_t c = ceilDiv(n, k);
  return std::clamp<int64_t>(n - i * c, 0, c);
}

} // namespace partita

#endif
