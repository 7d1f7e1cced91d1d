// spmd-verify-optimized: no device waits for a collective that another one
// never issues.
//
// One program runs on all devices, so the order is the same where control flow
// is: what remains to check is that starts and dones pair up on every path.
// That predicates are equal where devices meet is a property of the program's
// data; where nothing in the program makes them so, a remark says it.

#include "CollectiveCosts.h"
#include "dialects/SPMD/VaryingAxes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYOPTIMIZEDPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

LogicalResult verifyStart(spmd::StartOp start) {
  Value future = start.getFuture();
  Operation *done = future.hasOneUse() ? *future.getUsers().begin() : nullptr;
  if (done && isa<spmd::DoneOp>(done) && done->getBlock() == start->getBlock())
    return success();
  InFlightDiagnostic diagnostic = start.emitOpError()
                                  << "is not waited for exactly once in its "
                                     "block, so a device may leave it open";
  for (Operation *user : future.getUsers())
    diagnostic.attachNote(user->getLoc()) << "read here";
  diagnostic.attachNote() << "fix: put one spmd.done behind it";
  return diagnostic;
}

/// Values that decide which region of `op` runs, or how often.
SmallVector<Value> getPredicates(RegionBranchOpInterface op) {
  SmallVector<Value> predicates;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(*op)) {
    // The region that passes nothing on decides.
    for (Region *region : loop.getLoopRegions()) {
      Operation *end = region->front().getTerminator();
      auto yielded = loop.getYieldedValuesMutable();
      if (!yielded || yielded->empty() || yielded->begin()->getOwner() != end)
        llvm::append_range(predicates, end->getOperands());
    }
    return predicates;
  }
  llvm::append_range(predicates, op->getOperands());
  return predicates;
}

/// Says where a collective may wait for devices that took another way.
void reportPredicate(RegionBranchOpInterface op,
                     const spmd::VaryingAxes &varying) {
  SmallVector<Value> predicates = getPredicates(op);
  op->walk([&](spmd::CollectiveOpInterface collective) {
    if (isa<spmd::AllSliceOp, spmd::ToUnreducedOp>(*collective)) // send nothing
      return;
    for (spmd::AxisRefAttr axis : collective.getCommunicationAxes())
      for (Value predicate : predicates)
        if (varying.get(predicate, axis.getName()) == spmd::Variation::Varying)
          remark::missed(collective.getLoc(), getRemarkOptions("MayDiverge"))
              << remark::reason("{0} communicates over \"{1}\" under {2}, "
                                "which depends on "
                                "the device's place on that axis: all devices "
                                "must come to "
                                "the same",
                                collective->getName().getStringRef(),
                                axis.getName(), op->getName().getStringRef());
  });
}

struct VerifyOptimized : impl::VerifyOptimizedPassBase<VerifyOptimized> {
  using VerifyOptimizedPassBase::VerifyOptimizedPassBase;

  void runOnOperation() override {
    SmallVector<RegionBranchOpInterface> branching;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto start = dyn_cast<spmd::StartOp>(op))
        return WalkResult(verifyStart(start));
      auto branches = dyn_cast<RegionBranchOpInterface>(op);
      if (branches && op->walk([](spmd::CollectiveOpInterface) {
                          return WalkResult::interrupt();
                        }).wasInterrupted())
        branching.push_back(branches);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (branching.empty() || !getContext().getRemarkEngine())
      return;
    spmd::VaryingAxes varying(getOperation());
    if (!varying.isValid())
      return;
    for (RegionBranchOpInterface op : branching)
      reportPredicate(op, varying);
  }
};

} // namespace
} // namespace partita
