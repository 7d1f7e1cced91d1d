// Named meshes for shardings that name devices only.
#ifndef PARTITA_LIB_IMPORT_MESHSYNTHESIS_H
#define PARTITA_LIB_IMPORT_MESHSYNTHESIS_H

#include "MhloSharding.h"
#include "dialects/SPMD/SPMD.h"

namespace partita {

/// Collects the tile assignments of a module, then gives it one mesh per number
/// of devices whose axes are the coarsest common factorisation of all of them,
/// and puts each sharding on it. Where two assignments cannot be factored
/// together (2 then 3 against 3 then 2) they use sub-axes of one axis. An
/// assignment that is no rearrangement of digits gets a mesh of its own.
class MeshSynthesis {
public:
  explicit MeshSynthesis(mlir::ModuleOp module)
      : module(module), context(module.getContext()), symbols(module) {}

  /// Notes an assignment before any mesh is made.
  void note(const MhloSharding &sharding);
  /// Makes the meshes. `numPartitions` is the machine's number of devices, used
  /// for shardings that name none; 0 if unknown.
  void createMeshes(int64_t numPartitions);

  /// Spmd form of a sharding of a value of rank `rank`. Dimensions listed in
  /// `openDims` are open. Manual axes of the assignment are left out. Null for
  /// manual and unknown shardings.
  spmd::ShardingAttr convert(const MhloSharding &sharding, int64_t rank,
                             llvm::ArrayRef<int64_t> openDims = {});

  /// Axes along which a value of `sharding` is per device: all of `mesh` for
  /// `{manual}`, those of the manual subgroup of a tiled one, else none.
  llvm::SmallVector<spmd::AxisRefAttr>
  getManualAxes(const MhloSharding &sharding, mlir::FlatSymbolRefAttr mesh);

  /// Symbol of the mesh of a tiled sharding; null for others.
  mlir::FlatSymbolRefAttr getMeshName(const MhloSharding &sharding);
  /// The mesh of shardings that name no devices.
  mlir::FlatSymbolRefAttr getMainMesh() { return mainMesh; }
  spmd::MeshAttr getMesh(mlir::FlatSymbolRefAttr name);

private:
  struct Target {
    mlir::FlatSymbolRefAttr name;
    spmd::MeshAttr mesh;
  };
  Target addMesh(llvm::StringRef name, spmd::MeshAttr mesh);
  Target getTarget(const MhloSharding &sharding);
  llvm::SmallVector<spmd::AxisRefAttr>
  getAxesOfTile(const MhloSharding &sharding, unsigned tile);

  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  mlir::SymbolTable symbols;
  /// Borders between digits, as strides of the device number, per device count.
  std::map<int64_t, llvm::SmallVector<int64_t>> borders;
  std::map<int64_t, Target> meshes;
  /// Assignments with a mesh of their own, and that mesh.
  std::vector<std::pair<MhloSharding, Target>> irregular;
  llvm::DenseMap<int64_t, mlir::FlatSymbolRefAttr> singleDevices;
  mlir::FlatSymbolRefAttr mainMesh;
};

} // namespace partita

#endif
