// Prices of the collectives of a per-device program, by the one cost model.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVECOSTS_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVECOSTS_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/Remarks.h"
#include "partita/Sharding/CollectivePrice.h"

namespace partita {

class CollectiveCosts {
public:
  /// Fails, with an error at `module`, on an unknown machine or objective.
  static mlir::FailureOr<CollectiveCosts> get(mlir::ModuleOp module,
                                              llvm::StringRef machine,
                                              llvm::StringRef objective);

  const CostModel &getModel() const { return model; }

  /// Cost of a collective as it stands, or of the one in an spmd.start; nothing
  /// for any other op.
  CollectiveCost getCost(mlir::Operation *op) const;
  /// Cost of one whose operands had `operandBytes` in all.
  CollectiveCost getCost(CollectiveKind kind, spmd::MeshAttr mesh,
                         llvm::ArrayRef<spmd::AxisRefAttr> axes,
                         double operandBytes) const;
  /// Seconds of `op` that do not depend on its bytes: launch and hops.
  double getLatency(mlir::Operation *op) const;

  /// True if `after` is cheaper by the objective, or as cheap and cheaper by
  /// the other one.
  bool isCheaper(const CollectiveCost &after,
                 const CollectiveCost &before) const;

private:
  explicit CollectiveCosts(const CostModel &model) : model(model) {}

  CostModel model;
};

/// Remark options of what this phase did or refused.
inline mlir::remark::RemarkOpts getRemarkOptions(llvm::StringRef name) {
  return mlir::remark::RemarkOpts::name(name).category("collectives");
}

} // namespace partita

#endif
