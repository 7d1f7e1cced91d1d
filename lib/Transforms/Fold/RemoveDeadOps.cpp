// spmd-remove-dead-ops: what nothing reads is not placed.
//
// Before and after: any phase up to *propagated*.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Transforms/Fold/Passes.h"

namespace partita {
#define GEN_PASS_DEF_REMOVEDEADOPSPASS
#include "partita/Transforms/Fold/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct RemoveDeadOps : impl::RemoveDeadOpsPassBase<RemoveDeadOps> {
  using RemoveDeadOpsPassBase::RemoveDeadOpsPassBase;

  /// Users before what they use, so that one walk finds whole dead chains.
  void visit(Region &region) {
    for (Block &block : llvm::reverse(region))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (isOpTriviallyDead(&op)) {
          op.erase();
          ++numRemoved;
          continue;
        }
        for (Region &nested : op.getRegions())
          visit(nested);
      }
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function.getBody());
  }
};

} // namespace
} // namespace partita
