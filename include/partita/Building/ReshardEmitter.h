// Turns planned reshards into spmd collectives.
#ifndef PARTITA_BUILDING_RESHARDEMITTER_H
#define PARTITA_BUILDING_RESHARDEMITTER_H

#include "partita/Building/PartitionBuilder.h"
#include "partita/Sharding/ReshardCosts.h"

namespace partita {

class ReshardEmitter {
public:
  /// Plans on the meshes of `module`; see ReshardCosts::get for errors.
  static mlir::FailureOr<ReshardEmitter> get(mlir::ModuleOp module,
                                             llvm::StringRef machine,
                                             llvm::StringRef objective);

  spmd::MeshAttr getMesh(mlir::FlatSymbolRefAttr name) const {
    return costs.getMesh(name);
  }

  /// Emits the collectives that bring `input` to `to` at the builder's
  /// insertion point. The padding of the result is garbage. The two may be on
  /// meshes of equal axes whose devices are in another order.
  mlir::FailureOr<ShardedValue> emit(PartitionBuilder &builder,
                                     const ShardedValue &input,
                                     spmd::ShardingAttr to);

private:
  mlir::FailureOr<ShardedValue> emitAcrossMeshes(PartitionBuilder &builder,
                                                 const ShardedValue &input,
                                                 spmd::ShardingAttr to,
                                                 llvm::ArrayRef<int64_t> pairs);

  explicit ReshardEmitter(ReshardCosts costs) : costs(std::move(costs)) {}
  ReshardCosts costs;
};

} // namespace partita

#endif
