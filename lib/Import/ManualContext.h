// Where an op runs: on which mesh, and along which axes it is per device.
#ifndef PARTITA_LIB_IMPORT_MANUALCONTEXT_H
#define PARTITA_LIB_IMPORT_MANUALCONTEXT_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

/// What the manual regions around an op say together.
struct ManualContext {
  mlir::FlatSymbolRefAttr meshName;
  spmd::MeshAttr mesh;
  /// Manual axes of all regions, in the order of the mesh.
  llvm::SmallVector<spmd::AxisRefAttr> axes;
  /// The innermost region, for notes.
  mlir::Operation *region = nullptr;

  bool isManual() const { return region != nullptr; }
  bool contains(spmd::AxisRefAttr axis) const;
  /// True if every axis of the mesh is manual.
  bool isFullyManual() const {
    return mesh && axes.size() == mesh.getAxes().size();
  }
};

/// Contexts of the ops of one module. A function has that of its call site.
class ManualContexts {
public:
  explicit ManualContexts(mlir::ModuleOp module);

  /// Context of `op`. Fails, with an error on `op`, in a function that is
  /// called from places with different contexts.
  mlir::FailureOr<ManualContext> lookup(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      callersOf;
  llvm::DenseMap<mlir::Operation *, ManualContext> known;
};

} // namespace partita

#endif
