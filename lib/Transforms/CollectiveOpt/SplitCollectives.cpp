// spmd-split-collectives: collectives run while devices compute.
//
// Before and after: phase partitioned. No op but the collectives moves. Blocks
// are planned backwards: the collective that is read last takes the work before
// its reader until it is hidden, the next one what is left of it. Where little
// is hidden, a collective stays as it is.

#include "CollectiveCosts.h"
#include "CollectiveWindow.h"
#include "WorkEstimator.h"
#include "mlir/IR/IRMapping.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

namespace partita {
#define GEN_PASS_DEF_SPLITCOLLECTIVESPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Where one collective starts and is waited for.
struct Window {
  Operation *collective;
  Operation *reader; ///< first op that reads a result
  Operation *last;   ///< last op that an operand comes from; null: none
  Operation *start;  ///< the op before which it starts
  double seconds, hidden;
};

class BlockSplitter {
public:
  BlockSplitter(const CollectiveCosts &costs, WorkEstimator &work,
                MLIRContext *context)
      : costs(costs), work(work), b(context) {}

  void run(Block &block);
  unsigned numSplit = 0, numExposed = 0;

private:
  std::optional<Window> getWindow(Operation *op);
  void plan(Window &window);
  void split(const Window &window);

  const CollectiveCosts &costs;
  WorkEstimator &work;
  OpBuilder b;
  /// What of an op's work hides nothing yet.
  DenseMap<Operation *, double> unused;
};

} // namespace

std::optional<Window> BlockSplitter::getWindow(Operation *op) {
  CollectiveCost cost = costs.getCost(op);
  if (cost.launches == 0 || isa<spmd::StartOp>(op))
    return std::nullopt;
  return Window{op, findFirstReader(op), findLastSource(op),
                op, cost.seconds,        0};
}

/// Takes work before the reader, nearest first, until all is hidden.
void BlockSplitter::plan(Window &window) {
  SmallVector<std::pair<Operation *, double>> taken;
  bool mayWait =
      getResultBytes(window.collective) > getOperandBytes(window.collective);
  Operation *at = window.reader;
  while (window.hidden < window.seconds) {
    Operation *before = at->getPrevNode();
    if (!before || before == window.last)
      break;
    at = before;
    auto [it, isNew] = unused.try_emplace(before, 0);
    if (isNew)
      it->second = work.getSeconds(before);
    double part = std::min(it->second, window.seconds - window.hidden);
    if (part > 0)
      taken.push_back({before, part});
    window.hidden += part;
  }
  double launch = costs.getModel().getMachine().launchOverhead;
  if (window.hidden <= launch) {
    window.hidden = 0;
    return;
  }
  for (auto [op, part] : taken)
    unused[op] -= part;
  // Begin with the first op that hides something.
  window.start = taken.back().first;
  if (!mayWait && window.collective->isBeforeInBlock(window.start))
    window.start = window.collective;
}

void BlockSplitter::split(const Window &window) {
  Operation *op = window.collective;
  Location loc = op->getLoc();
  b.setInsertionPoint(window.start);
  auto future = spmd::FutureType::get(b.getContext(),
                                      llvm::to_vector(op->getResultTypes()));
  auto start = spmd::StartOp::create(b, loc, future, op->getOperands());
  remark::passed(loc, getRemarkOptions("Split")) << remark::reason(
      "{0} runs beside other work: {1:f1} of its {2:f1} us "
      "are hidden",
      op->getName().getStringRef(), window.hidden * 1e6, window.seconds * 1e6);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(
        &start.getBody(), start.getBody().end(), op->getOperandTypes(),
        SmallVector<Location>(op->getNumOperands(), loc));
    IRMapping mapping;
    mapping.map(op->getOperands(), body->getArguments());
    // One operand may come twice.
    Operation *inner = b.clone(*op);
    inner->setOperands(body->getArguments());
    spmd::ReturnOp::create(b, loc, inner->getResults());
  }
  b.setInsertionPoint(window.reader);
  auto done =
      spmd::DoneOp::create(b, loc, op->getResultTypes(), start.getFuture());
  op->replaceAllUsesWith(done.getResults());
  op->erase();
}

void BlockSplitter::run(Block &block) {
  SmallVector<Window> windows;
  for (Operation &op : block)
    if (std::optional<Window> window = getWindow(&op))
      windows.push_back(*window);
  // What is read last comes first: a collective that reads another has been
  // settled when that one is planned.
  llvm::sort(windows, [](const Window &a, const Window &b) {
    if (a.reader != b.reader)
      return b.reader->isBeforeInBlock(a.reader);
    return b.collective->isBeforeInBlock(a.collective);
  });
  for (const Window &unsettled : windows) {
    Operation *op = unsettled.collective;
    Window window = *getWindow(op);
    plan(window);
    if (window.hidden > 0) {
      ++numSplit;
      split(window);
      continue;
    }
    ++numExposed;
    remark::missed(op->getLoc(), getRemarkOptions("NotSplit"))
        << remark::reason("{0} is waited for, {1:f1} us: there is no other "
                          "work that could hide it",
                          op->getName().getStringRef(), window.seconds * 1e6);
  }
}

namespace {

struct SplitCollectives : impl::SplitCollectivesPassBase<SplitCollectives> {
  using SplitCollectivesPassBase::SplitCollectivesPassBase;

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    WorkEstimator work(costs->getModel(), getOperation());
    BlockSplitter splitter(*costs, work, &getContext());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<ModuleOp, spmd::StartOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      splitter.run(*block);
    numSplit += splitter.numSplit;
    numExposed += splitter.numExposed;
  }
};

} // namespace
} // namespace partita
