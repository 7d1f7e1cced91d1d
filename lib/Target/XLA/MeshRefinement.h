// A mesh whose axes are split wherever a sharding uses a part of one, so that
// every sharding names whole axes.
#ifndef PARTITA_LIB_TARGET_XLA_MESHREFINEMENT_H
#define PARTITA_LIB_TARGET_XLA_MESHREFINEMENT_H

#include "dialects/SPMD/SPMD.h"
#include "dialects/Sdy/Sdy.h"

namespace partita {

class MeshRefinement {
public:
  /// Nothing when sub-axes in use cannot be cut from one split of their axis.
  static std::optional<MeshRefinement>
  build(spmd::MeshAttr mesh, llvm::ArrayRef<spmd::ShardingAttr> shardings);

  /// The mesh in the sdy dialect; whole axes keep their names, parts of "x" are
  /// "x_0", "x_1", ...
  sdy::MeshAttr getMesh() const;
  /// Names of all its axes.
  llvm::SmallVector<mlir::StringAttr> getAxisNames() const;
  /// How Shardy calls `kind`; none: it has no such partial values.
  static std::optional<sdy::ReductionOp> convertKind(spmd::ReductionKind kind);
  /// `sharding` on it, closed, parts of a reduction included; null stands for
  /// replicated with `rank`. Shardy has the kind of reduction.
  sdy::ShardingAttr convert(spmd::ShardingAttr sharding, int64_t rank,
                            mlir::FlatSymbolRefAttr meshName) const;

private:
  struct Part {
    std::string name;
    int64_t pre, size;
  };
  llvm::SmallVector<sdy::AxisRefAttr>
  convertAxes(llvm::ArrayRef<spmd::AxisRefAttr> axes) const;

  spmd::MeshAttr mesh;
  /// Per axis, major to minor.
  llvm::SmallVector<llvm::SmallVector<Part>> parts;
};

} // namespace partita

#endif
