// cpu-lower-to-loops: runs of linalg ops become loop nests.
//
// A run is linalg ops of one block with nothing between them that touches
// memory. LoopEmitter decides which of a run share loops.

#include "LoopEmitter.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_LOWERTOLOOPSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Which ops share loops is found by comparing all of a run with each other.
constexpr size_t kLongestRun = 64;

/// The op as linalg.generic.
linalg::GenericOp generalize(linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  IRRewriter rewriter(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, op);
  return succeeded(generic) ? *generic : linalg::GenericOp();
}

/// Ops that a run may reach across.
bool isTransparent(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether `buffer` is written only; collects the writers and views.
bool isNeverRead(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    auto store = dyn_cast<memref::StoreOp>(user);
    bool isView = isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1;
    if (!(store && store.getMemRef() == buffer) &&
        !(isView && isNeverRead(user->getResult(0), users)))
      return false;
    users.push_back(user);
  }
  return true;
}

struct LowerToLoops : impl::LowerToLoopsPassBase<LowerToLoops> {
  using LowerToLoopsPassBase::LowerToLoopsPassBase;

  void flush(SmallVector<Statement, 0> &run) {
    if (run.empty())
      return;
    OpBuilder b(run.back().op);
    LoopEmitter emitter(b);
    emitter.emit(run);
    numOps += run.size();
    numKernels += emitter.numKernels;
    for (Statement &statement : run)
      statement.op.erase();
    run.clear();
  }

  LogicalResult visit(Block &block) {
    SmallVector<Statement, 0> run;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (!linalgOp || !linalgOp.hasPureBufferSemantics()) {
        if (!isTransparent(&op))
          flush(run);
        continue;
      }
      linalg::GenericOp generic = generalize(linalgOp);
      if (!generic)
        return linalgOp.emitOpError("is no loop nest");
      if (std::optional<Statement> statement = analyze(generic)) {
        run.push_back(std::move(*statement));
        if (run.size() == kLongestRun)
          flush(run);
        continue;
      }
      flush(run);
      IRRewriter rewriter(generic);
      if (failed(linalg::linalgOpToLoops(rewriter, generic)))
        return generic.emitOpError("is no loop nest");
      generic.erase();
    }
    flush(run);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      if (failed(visit(*block)))
        return signalPassFailure();
    SmallVector<memref::AllocOp> buffers;
    getOperation().walk([&](memref::AllocOp op) { buffers.push_back(op); });
    for (memref::AllocOp buffer : buffers) {
      SmallVector<Operation *> users;
      if (!isNeverRead(buffer, users))
        continue;
      for (Operation *user : users)
        user->erase();
      buffer.erase();
      ++numForwarded;
    }
  }
};

} // namespace
} // namespace partita
