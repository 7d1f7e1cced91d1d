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
  bool isIndexed = false;
  op.getBlock()->walk([&](linalg::IndexOp at) {
    isIndexed |= at.getDim() == dim || at.getDim() == dim + 1;
  });
  if (isIndexed)
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
        strides[position] !=
            strides[position + 1] * type.getDimSize(position + 1))
      return false;
  }
  return true;
}

/// The operand with the dimensions of each group merged; `map` becomes its map
/// over the merged loops.
Value collapseOperand(OpBuilder &b, Location loc, Value operand, AffineMap &map,
                      ArrayRef<ReassociationIndices> groups) {
  DenseMap<AffineExpr, AffineExpr> renamed;
  DenseMap<AffineExpr, size_t> lengths;
  for (auto [position, group] : llvm::enumerate(groups)) {
    AffineExpr first = getAffineDimExpr(group.front(), b.getContext());
    renamed[first] = getAffineDimExpr(position, b.getContext());
    lengths[first] = group.size();
  }
  SmallVector<ReassociationIndices> merged;
  SmallVector<AffineExpr> exprs;
  for (unsigned position = 0; position < map.getNumResults();) {
    AffineExpr expr = map.getResult(position);
    size_t length = std::max<size_t>(lengths.lookup(expr), 1);
    merged.emplace_back();
    for (size_t i = 0; i < length; ++i)
      merged.back().push_back(position++);
    exprs.push_back(expr.replace(renamed));
  }
  bool isShorter = exprs.size() < map.getNumResults();
  map = AffineMap::get(groups.size(), 0, exprs, b.getContext());
  return isShorter ? memref::CollapseShapeOp::create(b, loc, operand, merged)
                   : operand;
}

void collapse(linalg::GenericOp op, ArrayRef<ReassociationIndices> groups) {
  OpBuilder b(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(collapseOperand(b, op.getLoc(), operand.get(),
                                       maps[operand.getOperandNumber()],
                                       groups));
  SmallVector<utils::IteratorType> kinds;
  DenseMap<int64_t, int64_t> position;
  for (const ReassociationIndices &group : groups) {
    position[group.front()] = kinds.size();
    kinds.push_back(op.getIteratorTypesArray()[group.front()]);
  }
  ArrayRef<Value> all(operands);
  auto merged = linalg::GenericOp::create(
      b, op.getLoc(), TypeRange(), all.take_front(op.getNumDpsInputs()),
      all.drop_front(op.getNumDpsInputs()), maps, kinds);
  merged.getRegion().takeBody(op.getRegion());
  merged.getRegion().walk(
      [&](linalg::IndexOp at) { at.setDim(position.lookup(at.getDim())); });
  op.erase();
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
    collapse(cast<linalg::GenericOp>(op.getOperation()), groups);
    ++numCollapsed;
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
