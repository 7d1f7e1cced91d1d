// spmd-verify-partitioned: local shapes only, every communication is an spmd
// collective, nothing of the whole-array program is left.

#include "partita/Transforms/Partition/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYPARTITIONEDPASS
#include "partita/Transforms/Partition/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct VerifyPartitioned : impl::VerifyPartitionedPassBase<VerifyPartitioned> {
  using VerifyPartitionedPassBase::VerifyPartitionedPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (isa<spmd::ReshardOp, spmd::ConstraintOp, spmd::GroupOp,
              spmd::PropagationBarrierOp, spmd::ManualOp>(op))
        return op->emitOpError("is left after partition");
      if (op->hasAttr(spmd::SPMDDialect::getShardingsAttrName()))
        return op->emitOpError("still has shardings after partition");
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
