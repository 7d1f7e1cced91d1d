// The search for a price: a higher one makes smaller and costlier plans.

#include "MemoryPrice.h"
#include <cmath>

using namespace mlir;

namespace partita {

/// The price rises by this factor, so often at most: at the end memory is all
/// that counts. Then the interval is halved so often.
constexpr double kRise = 8;
constexpr int kMaxRises = 8, kHalvings = 4;

FailureOr<MemorySearch> findMemoryPrice(int64_t limit, double firstPrice,
                                        PlanMaker make) {
  MemorySearch search;
  search.leastPeak = std::numeric_limits<int64_t>::max();
  auto tryPrice = [&](double price) -> FailureOr<bool> {
    FailureOr<int64_t> peak = make(price);
    if (failed(peak))
      return failure();
    search.leastPeak = std::min(search.leastPeak, *peak);
    return *peak <= limit;
  };
  double tooLow = firstPrice / kRise;
  for (int rise = 0; rise < kMaxRises && !search.fits; ++rise) {
    double price = tooLow * kRise;
    FailureOr<bool> fits = tryPrice(price);
    if (failed(fits))
      return failure();
    search.fits = *fits;
    (*fits ? search.price : tooLow) = price;
  }
  for (int step = 0; step < kHalvings && search.fits; ++step) {
    double price = std::sqrt(tooLow * search.price);
    FailureOr<bool> fits = tryPrice(price);
    if (failed(fits))
      return failure();
    (*fits ? search.price : tooLow) = price;
  }
  return search;
}

} // namespace partita
