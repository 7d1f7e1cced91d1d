// cpu-narrow-selects: a choice between a value with a part of it updated and
// the value itself is a choice of that part.
//
//   select(p, insert(u, x), x)  ->  insert(select(p, u, extract(x)), x)
//
// Loops write so with jnp.where: pipelines store an output only when it is
// ready, decoders a token only of sequences that still run. Untouched, each
// trip would copy and choose all of x; afterwards it is updated in place.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_NARROWSELECTSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Predicate, value if true, value if false, read in this order at the
/// element's own place; the predicate may be one for all.
bool isSelect(linalg::GenericOp op) {
  Block &body = *op.getBody();
  if (op.getNumDpsInputs() != 3 || op.getNumResults() != 1 ||
      !llvm::hasNItems(body, 2))
    return false;
  auto select = dyn_cast<arith::SelectOp>(body.front());
  if (!select || body.getTerminator()->getOperand(0) != select.getResult() ||
      !llvm::equal(select->getOperands(), body.getArguments().take_front(3)))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return (maps[0].getNumResults() == 0 || maps[0].isIdentity()) &&
         llvm::all_of(ArrayRef(maps).drop_front(),
                      [](AffineMap map) { return map.isIdentity(); });
}

/// The update that `value` is of `target`; null: it is none, or others read it.
tensor::InsertSliceOp getUpdate(Value value, Value target) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  return insert && insert.getDest() == target && insert->hasOneUse() &&
                 insert.getSourceType().getRank() ==
                     insert.getDestType().getRank() &&
                 insert.getSourceType().hasStaticShape()
             ? insert
             : nullptr;
}

/// True if `op` was replaced.
bool narrow(linalg::GenericOp op) {
  Value ifTrue = op.getDpsInputs()[1], ifFalse = op.getDpsInputs()[2];
  Value target = ifFalse;
  tensor::InsertSliceOp update = getUpdate(ifTrue, ifFalse);
  if (!update) {
    target = ifTrue;
    update = getUpdate(ifFalse, ifTrue);
  }
  if (!update)
    return false;
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = update.getSourceType();
  auto extract = [&](Value whole) -> Value {
    auto partType = RankedTensorType::get(
        type.getShape(), cast<ShapedType>(whole.getType()).getElementType());
    return tensor::ExtractSliceOp::create(
        b, loc, partType, whole, update.getMixedOffsets(),
        update.getMixedSizes(), update.getMixedStrides());
  };
  Value predicate = op.getDpsInputs()[0];
  if (cast<ShapedType>(predicate.getType()).getRank() != 0)
    predicate = extract(predicate);
  Value part = extract(target), source = update.getSource();
  SmallVector<Value> inputs = {predicate, source, part};
  if (target == ifTrue)
    inputs = {predicate, part, source};
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto select = linalg::GenericOp::create(b, loc, type, inputs, empty,
                                          op.getIndexingMapsArray(),
                                          op.getIteratorTypesArray());
  select.getRegion().takeBody(op.getRegion());
  auto result = tensor::InsertSliceOp::create(
      b, loc, select.getResult(0), target, update.getMixedOffsets(),
      update.getMixedSizes(), update.getMixedStrides());
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
  update.erase();
  return true;
}

struct NarrowSelects : impl::NarrowSelectsPassBase<NarrowSelects> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> selects;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isSelect(op))
        selects.push_back(op);
    });
    for (linalg::GenericOp op : selects)
      numNarrowed += narrow(op);
  }
};

} // namespace
} // namespace partita
