// Attributes of the sdy dialect in their spmd form.
#ifndef PARTITA_LIB_IMPORT_SDYATTRIBUTES_H
#define PARTITA_LIB_IMPORT_SDYATTRIBUTES_H

#include "dialects/SPMD/SPMD.h"
#include "dialects/Sdy/Sdy.h"

namespace partita {

/// Converts meshes, axes and shardings of one module. Expects sdy attributes
/// that the sdy dialect has verified.
class SdyAttributes {
public:
  explicit SdyAttributes(mlir::ModuleOp module);

  /// Replaces every sdy.mesh by an spmd.mesh with the same symbol.
  void convertMeshes();

  /// Form of `sharding` of a value of `type` (null for an op without results).
  /// A sharding on a mesh without devices says "whole"; it is put on
  /// `fallbackMesh` if given, else on the module's first mesh with axes. One on
  /// a single device gets as many dimensions as the type.
  spmd::ShardingAttr convert(sdy::ShardingAttr sharding, mlir::Type type,
                             mlir::FlatSymbolRefAttr fallbackMesh = {});

  /// One sharding per type, as an array attribute.
  mlir::ArrayAttr convert(sdy::ShardingPerValueAttr shardings,
                          mlir::TypeRange types,
                          mlir::FlatSymbolRefAttr fallbackMesh = {});

  /// Symbol of the spmd mesh on which `sharding` is; null when that mesh has no
  /// devices.
  mlir::FlatSymbolRefAttr getMeshName(sdy::ShardingAttr sharding);
  /// The mesh of `sharding`; null where it is not defined.
  sdy::MeshAttr getMesh(sdy::ShardingAttr sharding) const;

  /// The dictionary form of a user's rule; see spmd-import-sdy.
  mlir::DictionaryAttr convert(sdy::OpShardingRuleAttr rule);

private:
  spmd::MeshAttr convert(sdy::MeshAttr mesh);
  mlir::FlatSymbolRefAttr addMesh(sdy::MeshAttr mesh);
  llvm::SmallVector<spmd::AxisRefAttr>
  convert(llvm::ArrayRef<sdy::AxisRefAttr> axes);

  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  mlir::SymbolTable symbols;
  /// Meshes by symbol, and symbols of the meshes written in place.
  llvm::StringMap<sdy::MeshAttr> meshes;
  llvm::DenseMap<mlir::Attribute, mlir::FlatSymbolRefAttr> symbolOfMesh;
  /// The first mesh with axes.
  mlir::FlatSymbolRefAttr mainMesh;
};

} // namespace partita

#endif
