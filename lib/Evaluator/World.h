// The devices that run in lock step: those of the machine, or the virtual ones
// of a manual region in a program that is not yet partitioned.
#ifndef PARTITA_LIB_EVALUATOR_WORLD_H
#define PARTITA_LIB_EVALUATOR_WORLD_H

#include "dialects/SPMD/SPMD.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace partita {

class World {
public:
  /// Devices 0 .. numDevices-1 of the machine, as `numReplicas` times
  /// partitions.
  World(unsigned numDevices, unsigned numReplicas)
      : numDevices(numDevices), numReplicas(numReplicas) {}
  /// The devices of a manual region: for each device in `outer` of the world
  /// around it, one per coordinate on `axes` of `mesh`.
  World(World &parent, llvm::ArrayRef<unsigned> outer, mlir::Operation *region,
        spmd::MeshAttr mesh, llvm::ArrayRef<llvm::StringRef> axes);

  unsigned getNumDevices() const { return numDevices; }
  unsigned getNumReplicas() const { return numReplicas; }
  unsigned getNumPartitions() const { return numDevices / numReplicas; }
  /// The manual region, or null for the machine.
  mlir::Operation *getRegion() const { return region; }
  /// Device of the world around this one.
  unsigned getParentDevice(unsigned device) const {
    return parentDevices[device];
  }

  /// Coordinates on the axes of `mesh`; -1 for an axis that is not manual here.
  /// Empty if the device is not part of the mesh.
  llvm::SmallVector<int64_t> getCoordinates(spmd::MeshAttr mesh,
                                            unsigned device) const;
  /// Number that partition_id gives. Axes that are not manual count as 0.
  int64_t getPartition(unsigned device) const;
  int64_t getReplica(unsigned device) const;
  /// Devices whose replica and partition are these; several in a region some
  /// axes of which are not manual are not told apart.
  int findDevice(int64_t replica, int64_t partition) const;

  /// "device 3 (x=1, y=1)", for messages.
  std::string describe(spmd::MeshAttr mesh, unsigned device) const;

private:
  unsigned numDevices;
  unsigned numReplicas;
  mlir::Operation *region = nullptr;
  // Of a region: its mesh, and each device's coordinates on it.
  spmd::MeshAttr regionMesh;
  llvm::SmallVector<llvm::SmallVector<int64_t>> coordinates;
  llvm::SmallVector<unsigned> parentDevices;
};

} // namespace partita

#endif
