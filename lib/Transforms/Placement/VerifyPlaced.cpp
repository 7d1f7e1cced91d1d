// spmd-verify-placed: every op's operands and results carry exactly the
// shardings that one assignment of axes to its factors gives them.

#include "partita/Sharding/FactorSharding.h"
#include "partita/Transforms/Placement/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYPLACEDPASS
#include "partita/Transforms/Placement/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Reports the first tensor of `op` that disagrees with the others.
LogicalResult verifyOp(Operation *op, const spmd::ShardingRule &rule) {
  spmd::MeshAttr mesh;
  FlatSymbolRefAttr meshName;
  auto forEach = [&](auto visit) {
    for (auto [index, value] : llvm::enumerate(op->getResults()))
      visit("result", index, value, rule.results[index], true);
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      visit("operand", index, value, rule.operands[index], false);
  };
  forEach([&](StringRef, unsigned, Value value, const spmd::TensorMapping &,
              bool) {
    spmd::ShardingAttr sharding = spmd::getSharding(value);
    if (sharding && (!meshName || sharding.hasShardedDim()))
      meshName = sharding.getMesh();
  });
  if (!meshName)
    return success();
  mesh = spmd::lookupMesh(op, meshName);
  FactorSharding factors(rule, mesh);
  forEach([&](StringRef, unsigned, Value value,
              const spmd::TensorMapping &mapping, bool) {
    if (spmd::ShardingAttr sharding = spmd::getSharding(value))
      if (!mapping.dims.empty())
        factors.add(sharding, mapping);
  });
  factors.legalize();
  LogicalResult status = success();
  forEach([&](StringRef kind, unsigned index, Value value,
              const spmd::TensorMapping &mapping, bool isResult) {
    spmd::ShardingAttr sharding = spmd::getSharding(value);
    if (!sharding || failed(status))
      return;
    spmd::ShardingAttr wanted = factors.getSharding(mapping, meshName, isResult);
    if (wanted.getRank() == sharding.getRank() && isSameLayout(wanted, sharding))
      return;
    status = op->emitOpError()
             << kind << " #" << index << " is laid out as " << sharding
             << " but the op's rule " << rule.str() << " asks for " << wanted;
  });
  return status;
}

struct VerifyPlaced : impl::VerifyPlacedPassBase<VerifyPlaced> {
  using VerifyPlacedPassBase::VerifyPlacedPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (isa<spmd::ConstraintOp, spmd::GroupOp, spmd::PropagationBarrierOp>(op))
        return op->emitOpError("is left after placement");
      auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
      if (!shardable || isa<RegionBranchOpInterface>(op))
        return WalkResult::advance();
      // Bodies of reductions and the like carry no shardings.
      if (op->getNumResults() && !spmd::getSharding(op->getResult(0)))
        return WalkResult::advance();
      FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
      if (failed(rule))
        return WalkResult::interrupt();
      return verifyOp(op, *rule);
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
