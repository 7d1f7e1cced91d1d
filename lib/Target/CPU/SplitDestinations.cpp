// cpu-split-destinations: each op writes to a destination of its own.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_SPLITDESTINATIONSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct SplitDestinations : impl::SplitDestinationsPassBase<SplitDestinations> {
  using SplitDestinationsPassBase::SplitDestinationsPassBase;

  /// Every use but the first gets a copy of `op`, right before its user.
  void split(Operation *op) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      uses.push_back(&use);
    if (uses.size() < 2)
      return;
    for (OpOperand *use : uses) {
      OpBuilder b(use->getOwner());
      use->set(b.clone(*op)->getResult(0));
      ++numCopies;
    }
    op->erase();
  }

  void runOnOperation() override {
    SmallVector<Operation *> fills, empties;
    // Fills before what they fill: each copy then has its own use to split.
    getOperation().walk([&](linalg::FillOp fill) {
      if (fill.hasPureTensorSemantics() &&
          fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
        fills.push_back(fill);
    });
    llvm::for_each(fills, [&](Operation *fill) { split(fill); });
    getOperation().walk(
        [&](tensor::EmptyOp empty) { empties.push_back(empty); });
    llvm::for_each(empties, [&](Operation *empty) { split(empty); });
  }
};

} // namespace
} // namespace partita
