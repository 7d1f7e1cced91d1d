// Scales the best plan of a known size to others.
#include "PriceCurve.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace partita;

/// The same plan's cost of `factor` times as many bytes.
static CollectiveCost scale(const CollectiveCost &cost, double factor) {
  CollectiveCost scaled = cost;
  scaled.sentBytes *= factor;
  scaled.seconds =
      cost.fixedSeconds + (cost.seconds - cost.fixedSeconds) * factor;
  scaled.linkSeconds *= factor;
  return scaled;
}

static bool isClose(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::optional<CollectiveCost> PriceCurve::get(double bytes) const {
  auto above = llvm::lower_bound(
      points, bytes, [](const Point &p, double b) { return p.bytes < b; });
  if (above == points.end())
    return std::nullopt;
  CollectiveCost cost = scale(above->cost, bytes / above->bytes);
  if (above->bytes == bytes)
    return cost;
  if (above == points.begin())
    return std::nullopt;
  const Point &below = *std::prev(above);
  CollectiveCost other = scale(below.cost, above->bytes / below.bytes);
  bool isOneLine = isClose(other.seconds, above->cost.seconds) &&
                   isClose(other.fixedSeconds, above->cost.fixedSeconds) &&
                   isClose(other.linkSeconds, above->cost.linkSeconds) &&
                   isClose(other.sentBytes, above->cost.sentBytes);
  return isOneLine ? std::optional(cost) : std::nullopt;
}

void PriceCurve::add(double bytes, const CollectiveCost &cost) {
  auto place = llvm::lower_bound(
      points, bytes, [](const Point &p, double b) { return p.bytes < b; });
  points.insert(place, {bytes, cost});
}
