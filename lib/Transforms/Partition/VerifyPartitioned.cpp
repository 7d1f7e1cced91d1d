// spmd-verify-partitioned: local shapes only, every communication is an spmd
// collective, nothing of the whole-array program is left.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Transforms/Partition/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYPARTITIONEDPASS
#include "partita/Transforms/Partition/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

LogicalResult failUnpartitioned(InFlightDiagnostic &diagnostic) {
  diagnostic.attachNote()
      << "fix: run spmd-partition on a module at phase placed";
  return diagnostic;
}

/// An argument or result: `type` is what `sharding` makes of `globalType`.
LogicalResult verifyPort(func::FuncOp function, StringRef what, unsigned index,
                         Type type, spmd::ShardingAttr sharding,
                         TypeAttr globalType) {
  auto local = dyn_cast<RankedTensorType>(type);
  if (!local)
    return success();
  auto global = globalType ? dyn_cast<RankedTensorType>(globalType.getValue())
                           : RankedTensorType();
  if (!global || !sharding) {
    InFlightDiagnostic diagnostic =
        function.emitOpError()
        << what << " #" << index << " has no "
        << (global ? "spmd.sharding" : "spmd.global_type");
    return failUnpartitioned(diagnostic);
  }
  spmd::MeshAttr mesh = spmd::lookupMesh(function, sharding.getMesh());
  if (mesh && global.getRank() == sharding.getRank() &&
      sharding.getLocalType(global, mesh) == local)
    return success();
  InFlightDiagnostic diagnostic = function.emitOpError()
                                  << what << " #" << index << " is " << local
                                  << ", which is not what " << sharding
                                  << " makes of " << global;
  return failUnpartitioned(diagnostic);
}

LogicalResult verifySignature(func::FuncOp function) {
  constexpr StringLiteral kGlobalType = "spmd.global_type";
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (failed(verifyPort(
            function, "argument", index, argument.getType(),
            spmd::getSharding(argument),
            function.getArgAttrOfType<TypeAttr>(index, kGlobalType))))
      return failure();
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(verifyPort(
            function, "result", index, type,
            spmd::getResultSharding(function, index),
            function.getResultAttrOfType<TypeAttr>(index, kGlobalType))))
      return failure();
  return success();
}

/// What must be gone.
LogicalResult verifyOp(Operation *op) {
  if (isa<spmd::ReshardOp, spmd::ConstraintOp, spmd::GroupOp,
          spmd::PropagationBarrierOp, spmd::ManualOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError("is left after partition");
    return failUnpartitioned(diagnostic);
  }
  if (op->hasAttr(spmd::SPMDDialect::getShardingsAttrName())) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("still has shardings after partition");
    return failUnpartitioned(diagnostic);
  }
  return success();
}

struct VerifyPartitioned : impl::VerifyPartitionedPassBase<VerifyPartitioned> {
  using VerifyPartitionedPassBase::VerifyPartitionedPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      WalkResult result =
          function.walk([](Operation *op) { return WalkResult(verifyOp(op)); });
      if (result.wasInterrupted() || failed(verifySignature(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace partita
