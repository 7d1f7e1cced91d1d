// gpu-collapse-loops: fewest loops per linalg op.

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "partita/Target/GPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "partita/Target/GPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// True if loops `dim` and `dim + 1` walk memory as one in every operand.
bool areAdjacent(linalg::LinalgOp op, unsigned dim) {
  if (op.getIteratorTypesArray()[dim] != op.getIteratorTypesArray()[dim + 1])
    return false;
  AffineExpr first = getAffineDimExpr(dim, op->getContext());
  AffineExpr second = getAffineDimExpr(dim + 1, op->getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(dim) && !map.isFunctionOfDim(dim + 1))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      return false;
    ArrayRef<AffineExpr> results = map.getResults();
    const AffineExpr *at = llvm::find(results, first);
    if (at == results.end() || at + 1 == results.end() || at[1] != second)
      return false;
    // Nothing else may depend on either loop.
    for (const AffineExpr &result : results)
      if (&result != at && &result != at + 1 &&
          (result.isFunctionOfDim(dim) || result.isFunctionOfDim(dim + 1)))
        return false;
    SmallVector<int64_t> strides;
    int64_t offset, position = at - results.begin();
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        ShapedType::isDynamic(strides[position]) ||
        ShapedType::isDynamic(strides[position + 1]) ||
        strides[position] != strides[position + 1] * type.getDimSize(position + 1))
      return false;
  }
  return true;
}

struct CollapseLoops : impl::CollapseLoopsPassBase<CollapseLoops> {
  using CollapseLoopsPassBase::CollapseLoopsPassBase;

  void visit(linalg::LinalgOp op) {
    unsigned loops = op.getNumLoops();
    SmallVector<ReassociationIndices> groups;
    for (unsigned dim = 0; dim < loops; ++dim) {
      if (dim > 0 && areAdjacent(op, dim - 1))
        groups.back().push_back(dim);
      else
        groups.push_back({dim});
    }
    if (groups.size() == loops)
      return;
    IRRewriter rewriter(op);
    if (succeeded(linalg::collapseOpIterationDims(op, groups, rewriter))) {
      rewriter.eraseOp(op);
      ++numCollapsed;
    }
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      IRRewriter rewriter(op);
      if (!isa<linalg::GenericOp>(op)) {
        FailureOr<linalg::GenericOp> generic =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(generic))
          continue;
        op = cast<linalg::LinalgOp>(generic->getOperation());
      }
      visit(op);
    }
  }
};

} // namespace
} // namespace partita
