// spmd-print-sharding-rules: what every op's model says, as text.
#include "partita/Transforms/Propagation/Passes.h"

using namespace mlir;

namespace partita {
#define GEN_PASS_DEF_PRINTSHARDINGRULESPASS
#include "partita/Transforms/Propagation/Passes.h.inc"

namespace {

struct PrintShardingRules
    : impl::PrintShardingRulesPassBase<PrintShardingRules> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(print(function, function.getBody())))
        return signalPassFailure();
  }

  LogicalResult print(func::FuncOp function, Region &region) {
    for (Operation &op : region.getOps()) {
      if (op.hasTrait<OpTrait::IsTerminator>() || isa<func::CallOp>(op))
        continue;
      llvm::outs() << "@" << function.getName() << ": " << op.getName() << ": ";
      if (auto shardable = dyn_cast<spmd::ShardableOpInterface>(&op)) {
        FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
        if (failed(rule))
          return failure();
        llvm::outs() << rule->str() << "\n";
      } else {
        llvm::outs() << "no model\n";
      }
      // Bodies of reductions and the like are no ops of their own.
      if (isa<RegionBranchOpInterface>(op))
        for (Region &nested : op.getRegions())
          if (failed(print(function, nested)))
            return failure();
    }
    return success();
  }
};

} // namespace
} // namespace partita
