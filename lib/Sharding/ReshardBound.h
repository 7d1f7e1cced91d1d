// A lower bound of the bytes that any plan sends, from what devices hold and
// need.
#ifndef PARTITA_LIB_SHARDING_RESHARDBOUND_H
#define PARTITA_LIB_SHARDING_RESHARDBOUND_H

#include "LiveDevices.h"

namespace partita {

/// Interval of each dimension that each listed device holds.
struct HeldBoxes {
  /// [dim][listed device].
  llvm::SmallVector<std::vector<IndexInterval>, 4> dims;
};

class ReshardBound {
public:
  /// Bounds of reshards that end in `goal`.
  ReshardBound(const LiveDevices &devices, llvm::ArrayRef<int64_t> shape,
               const Layout &goal);

  /// Elements that some device must send or receive from `layout` to the goal;
  /// never more than a plan moves.
  double get(const Layout &layout);
  /// The same between any two layouts, for data movement alone: the most
  /// elements that a device receives.
  double getReceived(const Layout &from, const Layout &to);
  /// All sizes divide: bounds and prices are had without listing devices.
  bool isEven(const Layout &from, const Layout &to) const {
    return getEven(from, to, /*reduces=*/false).has_value();
  }

private:
  void getHeld(const Layout &layout, HeldBoxes &held);
  double getListed(const HeldBoxes &from, const HeldBoxes &to,
                   bool reduces) const;
  std::optional<double> getEven(const Layout &from, const Layout &to,
                                bool reduces) const;

  const LiveDevices &devices;
  llvm::ArrayRef<int64_t> shape;
  const Layout &goal;
  HeldBoxes heldGoal, heldFrom, heldTo;
  /// What `heldGoal` and `heldFrom` belong to.
  bool hasGoal = false;
  std::optional<Layout> listedFrom;
  std::vector<int32_t> blocks;
};

} // namespace partita

#endif
