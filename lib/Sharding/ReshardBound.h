// A lower bound of the bytes that any plan sends, from what devices hold and
// need.
#ifndef PARTITA_LIB_SHARDING_RESHARDBOUND_H
#define PARTITA_LIB_SHARDING_RESHARDBOUND_H

#include "LiveDevices.h"

namespace partita {

/// Interval of each dimension that each live device holds.
struct HeldBoxes {
  /// [dim][device]; empty when the devices are too many to list.
  llvm::SmallVector<std::vector<IndexInterval>, 4> dims;
};

class ReshardBound {
public:
  ReshardBound(const LiveDevices &devices, llvm::ArrayRef<int64_t> shape)
      : devices(devices), shape(shape) {}

  void getHeld(const Layout &layout, HeldBoxes &held);

  /// Elements that some device must send or receive on the way from one layout
  /// to the other; never more than a plan moves. `held` are those of the layouts.
  double get(const Layout &from, const HeldBoxes &heldFrom, const Layout &to,
             const HeldBoxes &heldTo) const;

private:
  double getListed(const Layout &from, const HeldBoxes &heldFrom,
                   const Layout &to, const HeldBoxes &heldTo) const;
  double getClosedForm(const Layout &from, const Layout &to) const;

  const LiveDevices &devices;
  llvm::ArrayRef<int64_t> shape;
  std::vector<int32_t> blocks;
};

} // namespace partita

#endif
