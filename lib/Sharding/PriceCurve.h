// Prices of reshards between two layouts for tensors of any number of bytes.
#ifndef PARTITA_LIB_SHARDING_PRICECURVE_H
#define PARTITA_LIB_SHARDING_PRICECURVE_H

#include "partita/Sharding/CostModel.h"
#include <optional>

namespace partita {

/// The least cost over a fixed set of plans, as a function of the tensor's
/// bytes. Where sizes divide, what a plan costs is a line, so that the least is
/// concave: between two sizes with one best line, no other is below it.
class PriceCurve {
public:
  /// True while one size alone is known.
  bool isSinglePoint() const { return points.size() == 1; }
  double getFirstBytes() const { return points.front().bytes; }

  /// The cost where it follows from what is known.
  std::optional<CollectiveCost> get(double bytes) const;
  /// Adds what the best plan costs at `bytes`.
  void add(double bytes, const CollectiveCost &cost);

private:
  struct Point {
    double bytes;
    CollectiveCost cost;
  };
  /// By bytes.
  llvm::SmallVector<Point, 3> points;
};

} // namespace partita

#endif
