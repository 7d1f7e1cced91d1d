// A device mesh as plain data: named axes, major to minor, with their links.
// Holds no IR; SPMDConversion.h makes one from an spmd.mesh attribute.
#ifndef PARTITA_SHARDING_MESH_H
#define PARTITA_SHARDING_MESH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace partita {

/// One axis. `latency` (seconds) and `bandwidth` (bytes per second, one
/// direction) describe its link; zero means the machine model's default.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  double latency = 0;
  double bandwidth = 0;
};

/// Axes major to minor. `deviceOrder` lists the device at each mesh position;
/// empty for the identity. Layouts and plans speak of positions only, so the
/// order matters to nobody before devices are named.
struct Mesh {
  llvm::SmallVector<MeshAxis, 4> axes;
  llvm::SmallVector<int64_t> deviceOrder;

  int64_t getNumDevices() const {
    int64_t product = 1;
    for (const MeshAxis &axis : axes)
      product *= axis.size;
    return product;
  }
  /// Position of the axis called `name`, or -1.
  int getAxisIndex(llvm::StringRef name) const {
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
};

} // namespace partita

#endif
