// Steps of spmd-import-collectives: each takes one StableHLO op in a manual
// region and replaces it by spmd ops.
#ifndef PARTITA_LIB_IMPORT_COLLECTIVEIMPORT_H
#define PARTITA_LIB_IMPORT_COLLECTIVEIMPORT_H

#include "AxisMatching.h"
#include "ManualContext.h"
#include "dialects/StableHLO/StableHLO.h"

namespace partita {

/// Refuses axes that are not manual where `op` stands.
mlir::LogicalResult checkAxesAreManual(mlir::Operation *op,
                                       const ManualContext &context,
                                       llvm::ArrayRef<spmd::AxisRefAttr> axes);

/// Replaces `partition_id` and what is computed from it by division, remainder
/// and conversion by `spmd.axis_index`.
mlir::LogicalResult importPartitionId(stablehlo::PartitionIdOp op,
                                      const ManualContext &context);

/// Replaces one collective. The context is that of the op and manual.
class CollectiveImporter {
public:
  CollectiveImporter(mlir::Operation *op, const ManualContext &context)
      : op(op), context(context), builder(op) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult importAllReduce(stablehlo::AllReduceOp reduce);
  mlir::LogicalResult importReduceScatter(stablehlo::ReduceScatterOp scatter);
  mlir::LogicalResult importAllGather(stablehlo::AllGatherOp gather);
  mlir::LogicalResult importAllToAll(stablehlo::AllToAllOp exchange);
  mlir::LogicalResult importPermute(stablehlo::CollectivePermuteOp permute);
  mlir::LogicalResult
  importBroadcast(stablehlo::CollectiveBroadcastOp broadcast);
  mlir::LogicalResult importRagged(stablehlo::CustomCallOp call);

  /// Axes of the op's groups, checked to be manual. `usesGlobalIds`: the groups
  /// list devices; else replicas, of which there is one.
  mlir::FailureOr<AxisRefs> matchAxes(mlir::Attribute groups, bool ordered,
                                      bool usesGlobalIds);
  mlir::FailureOr<AxisRefs>
  matchNamedAxes(stablehlo::ReplicaGroupMeshAxesAttr groups);
  mlir::FailureOr<spmd::ReductionKind> matchKind(mlir::Region &body);
  mlir::Value exchangeWithin(mlir::Value input, int64_t dim, int64_t count,
                             spmd::AxisListAttr axes);

  spmd::AxisListAttr getList(llvm::ArrayRef<spmd::AxisRefAttr> axes) {
    return spmd::AxisListAttr::get(op->getContext(), axes);
  }
  /// `axes` at dimension `dim`, none at the others.
  mlir::ArrayAttr getPerDim(llvm::ArrayRef<spmd::AxisRefAttr> axes, int64_t dim,
                            int64_t rank);
  void replaceBy(mlir::ValueRange values);
  void replaceBy(mlir::Operation *other);

  mlir::Operation *op;
  const ManualContext &context;
  mlir::OpBuilder builder;
};

} // namespace partita

#endif
