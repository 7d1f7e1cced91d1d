// cpu-own-branch-results: what a branch returns is memory of its own.
//
// Bufferization takes all values that a result of scf.if may be for one
// another: where the value of an outer op and a carried value come together
// there, the loop could not write the carried one any more. And scf.if whose
// branches return buffers from outside becomes a select of buffers, through
// which no pass after bufferization looks.

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_OWNBRANCHRESULTSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// True if `value` is made in `block`, in memory that no other value is in.
bool isMadeIn(Block *block, Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block &&
         isa<linalg::LinalgOp, spmd::RuntimeCallOp, scf::IfOp,
             bufferization::AllocTensorOp>(op);
}

struct OwnBranchResults : impl::OwnBranchResultsPassBase<OwnBranchResults> {
  using OwnBranchResultsPassBase::OwnBranchResultsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](scf::IfOp branches) {
      for (Region &region : branches->getRegions())
        if (!region.empty())
          visit(region.front());
    });
  }

  void visit(Block &block) {
    Operation *yield = block.getTerminator();
    OpBuilder b(yield);
    llvm::SmallDenseSet<Value> returned;
    for (OpOperand &operand : yield->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      bool isOwn = isMadeIn(&block, operand.get()) &&
                   returned.insert(operand.get()).second;
      if (!type || isOwn)
        continue;
      operand.set(bufferization::AllocTensorOp::create(
          b, yield->getLoc(), type, ValueRange(), operand.get()));
      ++numCopies;
    }
  }
};

} // namespace
} // namespace partita
