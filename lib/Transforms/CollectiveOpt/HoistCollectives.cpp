// spmd-hoist-collectives: collectives that give the same in each trip of a loop
// run once, before it.
//
// Before and after: phase partitioned. Collectives are not speculatable: they
// go only before loops that are known to run, by a constant trip count, which
// is the same on all devices.

#include "CollectiveCosts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Building/PeakMemory.h"
#include "partita/Building/TripCount.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace partita {
#define GEN_PASS_DEF_HOISTCOLLECTIVESPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// What of one loop is the same in each trip.
class LoopInvariants {
public:
  explicit LoopInvariants(LoopLikeOpInterface loop) : loop(loop) {
    auto arguments = loop.getRegionIterArgs();
    body = arguments.empty() ? nullptr : arguments.front().getOwner();
    if (auto yielded = loop.getYieldedValuesMutable();
        yielded && yielded->size() == arguments.size())
      for (auto [argument, returned, init] :
           llvm::zip(arguments, *yielded, loop.getInits()))
        if (returned.get() == argument)
          inits[argument] = init;
    if (body)
      for (Operation &op : body->without_terminator())
        if (isInvariant(&op))
          ops.insert(&op);
  }

  Block *getBody() const { return body; }
  bool contains(Operation *op) const { return ops.contains(op); }
  /// Moves `op` and what it is made from before the loop.
  void hoist(Operation *op) {
    if (!ops.remove(op))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      if (Operation *source = operand.get().getDefiningOp())
        hoist(source);
      else if (Value init = inits.lookup(operand.get()))
        operand.set(init);
    }
    op->moveBefore(loop);
  }

private:
  bool isInvariant(Operation *op) {
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             if (inits.contains(operand) ||
                 ops.contains(operand.getDefiningOp()))
               return true;
             return !loop->isAncestor(operand.getParentRegion()->getParentOp());
           });
  }

  LoopLikeOpInterface loop;
  Block *body = nullptr;
  DenseMap<Value, Value> inits;
  llvm::SetVector<Operation *> ops;
};

struct HoistCollectives : impl::HoistCollectivesPassBase<HoistCollectives> {
  using HoistCollectivesPassBase::HoistCollectivesPassBase;

  void refuse(Operation *op, const CollectiveCost &cost, const Twine &reason) {
    ++numRefused;
    remark::missed(op->getLoc(), getRemarkOptions("NotHoisted"))
        << remark::reason(
               "{0} of {1:f0} sent bytes gives the same in each trip "
               "and stays in the loop: {2}",
               op->getName().getStringRef(), cost.sentBytes, reason.str());
  }

  /// Bytes by which hoisting may still raise the peak.
  int64_t getAllowance() {
    if (!allowance) {
      auto main = getOperation().lookupSymbol<func::FuncOp>("main");
      allowance = main && !main.isExternal()
                      ? getPeakBytes(main) * memorySlack / 100
                      : 0;
    }
    return *allowance;
  }

  void visit(LoopLikeOpInterface loop, const CollectiveCosts &costs) {
    LoopInvariants invariants(loop);
    if (!invariants.getBody())
      return;
    std::optional<int64_t> trips = getStaticTripCount(loop);
    for (Operation &op : llvm::make_early_inc_range(*invariants.getBody())) {
      if (!isa<spmd::CollectiveOpInterface>(op) || !invariants.contains(&op))
        continue;
      CollectiveCost cost = costs.getCost(&op);
      if (cost.launches == 0 || (trips && *trips == 1))
        continue;
      if (!trips || *trips < 1) {
        refuse(&op, cost,
               trips ? "the loop never runs" : "the loop is not known to run");
        continue;
      }
      auto held = int64_t(getResultBytes(&op));
      if (held > getAllowance()) {
        refuse(&op, cost,
               "its " + Twine(held) +
                   " bytes would live as long as the loop, " +
                   Twine(getAllowance()) + " may");
        continue;
      }
      *allowance -= held;
      remark::passed(op.getLoc(), getRemarkOptions("Hoisted"))
          << remark::reason("{0} runs once instead of {1} times: {2:f0} bytes "
                            "and {3:f1} us saved",
                            op.getName().getStringRef(), *trips,
                            cost.sentBytes * double(*trips - 1),
                            cost.seconds *double(*trips - 1) * 1e6);
      invariants.hoist(&op);
      ++numHoisted;
    }
  }

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    allowance.reset();
    // Inner loops first: what leaves them may leave the outer ones too.
    getOperation().walk([&](LoopLikeOpInterface loop) { visit(loop, *costs); });
  }

  std::optional<int64_t> allowance;
};

} // namespace
} // namespace partita
