// spmd-simplify-collectives: collectives that feed one another cancel or merge.
//
// Before and after: phase partitioned. A rewrite replaces the later of the two
// collectives; the earlier one goes when nothing else reads it. Each is made
// only where the cost model finds it cheaper, and says so in a remark.

#include "CollectiveCosts.h"
#include "CollectiveRebuilding.h"
#include "CollectiveSimplifier.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

namespace partita {
#define GEN_PASS_DEF_SIMPLIFYCOLLECTIVESPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {

bool CollectiveSimplifier::isAccepted(Operation *op, StringRef what,
                                      const CollectiveCost &before,
                                      const CollectiveCost &after) {
  if (costs.isCheaper(after, before)) {
    remark::passed(op->getLoc(), getRemarkOptions("Simplified"))
        << remark::reason("{0}: {1:f0} instead of {2:f0} bytes, {3} instead of "
                          "{4} launches, {5:f1} instead of {6:f1} us",
                          what.str(), after.sentBytes, before.sentBytes,
                          after.launches, before.launches, after.seconds * 1e6,
                          before.seconds * 1e6);
    return true;
  }
  remark::missed(op->getLoc(), getRemarkOptions("NotSimplified"))
      << remark::reason(
             "{0} would send {1:f0} instead of {2:f0} bytes and take "
             "{3:f1} instead of {4:f1} us",
             what.str(), after.sentBytes, before.sentBytes, after.seconds * 1e6,
             before.seconds * 1e6);
  return false;
}

void CollectiveSimplifier::add(Operation *op) {
  if (isa_and_nonnull<spmd::CollectiveOpInterface>(op))
    pending.insert(op);
}

void CollectiveSimplifier::eraseIfDead(Operation *op) {
  if (!op || !isa<spmd::CollectiveOpInterface>(op) || !isOpTriviallyDead(op))
    return;
  SmallVector<Operation *> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      sources.push_back(source);
  pending.remove(op);
  op->erase();
  for (Operation *source : sources)
    add(source);
}

void CollectiveSimplifier::replace(Operation *op, ValueRange values) {
  SmallVector<Operation *> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      sources.push_back(source);
  for (Value value : values)
    if (isa_and_nonnull<spmd::CollectiveOpInterface>(value.getDefiningOp()))
      carryAttributes(op, value.getDefiningOp());
  op->replaceAllUsesWith(values);
  pending.remove(op);
  op->erase();
  llvm::sort(sources);
  sources.erase(llvm::unique(sources), sources.end());
  for (Operation *source : sources)
    eraseIfDead(source);
  for (Value value : values) {
    add(value.getDefiningOp());
    for (Operation *user : value.getUsers())
      add(user);
  }
}

bool CollectiveSimplifier::dropDeadValues(Operation *op) {
  if (op->getNumResults() < 2 || op->getNumResults() != op->getNumOperands())
    return false;
  SmallVector<unsigned> live;
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      live.push_back(result.getResultNumber());
  if (live.empty() || live.size() == op->getNumResults())
    return false;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (unsigned index : live) {
    operands.push_back(op->getOperand(index));
    types.push_back(op->getResult(index).getType());
  }
  counts.deadValues += op->getNumResults() - live.size();
  b.setInsertionPoint(op);
  Operation *rest = rebuildCollective(b, op, operands, types);
  for (auto [index, result] : llvm::zip(live, rest->getResults()))
    op->getResult(index).replaceAllUsesWith(result);
  eraseIfDead(op);
  add(rest);
  return true;
}

bool CollectiveSimplifier::simplify(Operation *op) {
  if (isOpTriviallyDead(op)) {
    ++counts.deadValues;
    eraseIfDead(op);
    return true;
  }
  if (dropDeadValues(op))
    return true;
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  if (auto slice = dyn_cast<spmd::AllSliceOp>(op))
    return sliceReduction(slice) || sliceGather(slice);
  if (auto gather = dyn_cast<spmd::AllGatherOp>(op))
    return gatherScatter(gather) || gatherSlice(gather) || gatherGather(gather);
  if (auto reduce = dyn_cast<spmd::AllReduceOp>(op))
    return reduceWhole(reduce) || reduceReduction(reduce) ||
           reduceSumOnce(reduce);
  if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(op))
    return scatterScatter(scatter) || reduceSumOnce(scatter);
  if (auto permute = dyn_cast<spmd::PermuteOp>(op))
    return dropIdentity(permute) || permutePermuted(permute);
  return false;
}

void CollectiveSimplifier::run(ModuleOp module) {
  module.walk([&](spmd::CollectiveOpInterface op) {
    // What spmd.start holds stands alone.
    if (!isa<spmd::StartOp>(op->getParentOp()) && !isa<spmd::StartOp>(*op))
      pending.insert(op);
  });
  // The last ones first, so that chains of dead ones go in one round.
  while (!pending.empty())
    simplify(pending.pop_back_val());
}

namespace {

struct SimplifyCollectives
    : impl::SimplifyCollectivesPassBase<SimplifyCollectives> {
  using SimplifyCollectivesPassBase::SimplifyCollectivesPassBase;

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    CollectiveSimplifier simplifier(*costs, &getContext());
    simplifier.run(getOperation());
    numScattersFormed += simplifier.counts.scattersFormed;
    numGathersCancelled += simplifier.counts.gathersCancelled;
    numReductionsMerged += simplifier.counts.reductionsMerged;
    numPermutesMerged += simplifier.counts.permutesMerged;
    numDeadValues += simplifier.counts.deadValues;
  }
};

} // namespace
} // namespace partita
