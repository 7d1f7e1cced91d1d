// spmd-peel-dead-permutes: the last trip of a ring loop stands alone, without
// the permute that would pass a value on to a trip that never comes.
//
// Before and after: phase partitioned. Any collective that is dead in the last
// trip goes, whatever its kind. Only loops with a constant trip count, which is
// the same on all devices, are peeled.

#include "CollectiveCosts.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Building/LoopPeeling.h"
#include "partita/Building/TripCount.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace partita {
#define GEN_PASS_DEF_PEELDEADPERMUTESPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Ops of the body that the results which are read after the loop need, in one
/// trip.
llvm::SmallPtrSet<Operation *, 32> findNeeded(LoopLikeOpInterface loop,
                                              Block &body) {
  llvm::SmallPtrSet<Operation *, 32> needed;
  SmallVector<Value> pending;
  auto results = loop.getLoopResults();
  for (auto [result, yielded] :
       llvm::zip(*results, *loop.getYieldedValuesMutable()))
    if (!result.use_empty())
      pending.push_back(yielded.get());
  auto need = [&](Operation *op) {
    if (!needed.insert(op).second)
      return;
    op->walk([&](Operation *nested) {
      llvm::append_range(pending, nested->getOperands());
    });
  };
  for (Operation &op : body.without_terminator())
    if (!isMemoryEffectFree(&op))
      need(&op);
  while (!pending.empty()) {
    Operation *source = pending.pop_back_val().getDefiningOp();
    if (source && source->getBlock() == &body)
      need(source);
  }
  return needed;
}

struct PeelDeadPermutes : impl::PeelDeadPermutesPassBase<PeelDeadPermutes> {
  using PeelDeadPermutesPassBase::PeelDeadPermutesPassBase;

  void visit(LoopLikeOpInterface loop, const CollectiveCosts &costs) {
    std::optional<int64_t> trips = getStaticTripCount(loop);
    auto yielded = loop.getYieldedValuesMutable();
    auto results = loop.getLoopResults();
    if (!trips || *trips < 2 || !yielded || !results ||
        yielded->size() != results->size() || yielded->empty())
      return;
    Block &body = *loop.getRegionIterArgs().front().getOwner();
    llvm::SmallPtrSet<Operation *, 32> needed = findNeeded(loop, body);
    CollectiveCost saved;
    for (Operation &op : body.without_terminator())
      if (isa<spmd::CollectiveOpInterface>(op) && !needed.contains(&op))
        saved += costs.getCost(&op);
    if (saved.launches == 0)
      return;
    int64_t ops = 0;
    body.walk([&](Operation *) { ++ops; });
    if (ops > maxOps) {
      remark::missed(loop.getLoc(), getRemarkOptions("NotPeeled"))
          << remark::reason("the last trip would save {0} launches and {1:f0} "
                            "bytes, but the body has {2} ops, at most {3} may "
                            "be copied",
                            saved.launches, saved.sentBytes, ops,
                            int64_t(maxOps));
      return;
    }
    std::optional<SmallVector<Operation *>> copies = peelLastTrip(loop);
    if (!copies)
      return;
    ++numPeeled;
    numDropped += saved.launches;
    for (Operation *copy : llvm::reverse(*copies))
      if (isOpTriviallyDead(copy))
        copy->erase();
    remark::passed(loop.getLoc(), getRemarkOptions("Peeled")) << remark::reason(
        "the last of {0} trips stands behind the loop: {1} "
        "launches, {2:f0} bytes and {3:f1} us saved",
        *trips, saved.launches, saved.sentBytes, saved.seconds * 1e6);
  }

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    SmallVector<LoopLikeOpInterface> loops;
    getOperation().walk(
        [&](LoopLikeOpInterface loop) { loops.push_back(loop); });
    for (LoopLikeOpInterface loop : loops)
      visit(loop, *costs);
  }
};

} // namespace
} // namespace partita
