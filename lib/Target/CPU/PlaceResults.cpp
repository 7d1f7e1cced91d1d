// cpu-place-results: results are computed in their out parameters, and donated
// arguments become results.
//
// Works on the copies at the end of functions that bufferization leaves: each
// fills one out parameter.

#include "LoopSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_PLACERESULTSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// What `value` is the whole of, by reshapes; itself if it is a part.
Value getWhole(Value value) {
  while (Operation *definition = value.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(
            definition))
      break;
    value = definition->getOperand(0);
  }
  return value;
}

bool isIdentity(Value value) {
  auto type = cast<MemRefType>(value.getType());
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

class Placer {
public:
  explicit Placer(func::FuncOp function)
      : function(function), block(function.getBody().front()) {}

  void mergeDonated();
  void place();
  void reuse();
  int64_t numPlaced = 0;

private:
  bool mayMove(memref::AllocOp buffer, BlockArgument target);
  bool mayReuse(linalg::GenericOp op, OpOperand &input, Value output);
  bool isOutside(Value value, Operation *op, bool isBefore);
  bool isLastElementwise(Operation *op, Value buffer, BlockArgument target);
  void collectUsers(Value value, SetVector<Operation *> &users);
  void saveOverwritten();

  func::FuncOp function;
  Block &block;
};

} // namespace

/// The ops of the function's block that touch `value` or a view of it.
void Placer::collectUsers(Value value, SetVector<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    if (isa<ViewLikeOpInterface>(user))
      collectUsers(user->getResult(0), users);
    users.insert(block.findAncestorOpInBlock(*user));
  }
}

/// Out parameters of donated arguments give way to the arguments.
void Placer::mergeDonated() {
  bool isAny = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto number = function.getArgAttrOfType<IntegerAttr>(
            i, "partita.out_parameter")) {
      function.getArgument(number.getInt())
          .replaceAllUsesWith(function.getArgument(i));
      isAny = true;
    }
  if (isAny)
    saveOverwritten();
}

/// An argument that is one result, and whose memory is another, is copied away
/// before any result is written.
void Placer::saveOverwritten() {
  SmallVector<memref::CopyOp> copies;
  SetVector<Value> written;
  for (auto copy : block.getOps<memref::CopyOp>()) {
    auto target = dyn_cast<BlockArgument>(copy.getTarget());
    if (!target || target.getOwner() != &block)
      continue;
    copies.push_back(copy);
    if (getWhole(copy.getSource()) != target)
      written.insert(target);
  }
  if (copies.empty())
    return;
  // Before all of them: an op that stays.
  OpBuilder atFront(copies.front());
  Operation *front =
      arith::ConstantIndexOp::create(atFront, function.getLoc(), 0);
  for (memref::CopyOp copy : copies) {
    Value source = copy.getSource();
    if (getWhole(source) == copy.getTarget()) {
      copy.erase();
      ++numPlaced;
      continue;
    }
    SmallVector<Operation *> views;
    Value root = source;
    while (auto view = root.getDefiningOp<ViewLikeOpInterface>()) {
      views.push_back(view);
      root = view.getViewSource();
    }
    if (!written.contains(root))
      continue;
    OpBuilder b(front);
    IRMapping mapping;
    for (Operation *view : llvm::reverse(views))
      b.clone(*view, mapping);
    auto type = cast<MemRefType>(source.getType());
    auto saved = memref::AllocOp::create(
        b, copy.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()));
    memref::CopyOp::create(b, copy.getLoc(), mapping.lookupOrDefault(source),
                           saved);
    copy.getSourceMutable().set(saved);
  }
  front->erase();
}

/// Whether `op` reads `target` only at the element of `buffer` that it writes.
bool Placer::isLastElementwise(Operation *op, Value buffer,
                               BlockArgument target) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      llvm::is_contained(getBodyReads(generic), Value(target)))
    return false;
  AffineMap written;
  for (OpOperand &operand : op->getOpOperands())
    if (generic.isDpsInit(&operand) && operand.get() == buffer)
      written = generic.getMatchingIndexingMap(&operand);
  if (!written || !written.isPermutation())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) ||
        getAddressBase(operand.get()) != target)
      continue;
    // A part or another shape of it is read elsewhere.
    if (operand.get() != target ||
        generic.getMatchingIndexingMap(&operand) != written)
      return false;
  }
  return true;
}

/// Whether `target` can hold what `buffer` holds: nothing uses it after the
/// first use of `buffer`.
bool Placer::mayMove(memref::AllocOp buffer, BlockArgument target) {
  if (buffer->getBlock() != &block)
    return false;
  SetVector<Operation *> users, others;
  collectUsers(buffer, users);
  collectUsers(target, others);
  Operation *first = nullptr;
  for (Operation *user : users)
    if (!isa<ViewLikeOpInterface>(user) &&
        (!first || user->isBeforeInBlock(first)))
      first = user;
  for (Operation *other : others) {
    if (auto copy = dyn_cast<memref::CopyOp>(other))
      if (copy.getTarget() == target && getWhole(copy.getSource()) == buffer)
        continue;
    if (isa<ViewLikeOpInterface>(other) || other->isBeforeInBlock(first) ||
        (other == first && isLastElementwise(other, buffer, target)))
      continue;
    return false;
  }
  return true;
}

void Placer::place() {
  SmallVector<memref::CopyOp> copies;
  for (auto copy : block.getOps<memref::CopyOp>())
    copies.push_back(copy);
  for (memref::CopyOp copy : copies) {
    auto target = dyn_cast<BlockArgument>(copy.getTarget());
    auto buffer = getWhole(copy.getSource()).getDefiningOp<memref::AllocOp>();
    if (!target || target.getOwner() != &block || !buffer ||
        !isIdentity(target) || !isIdentity(copy.getSource()) ||
        !isIdentity(buffer) || !mayMove(buffer, target))
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    Value place = target;
    if (buffer.getType() != target.getType()) {
      MemRefType type = buffer.getType();
      SmallVector<int64_t> strides;
      int64_t offset;
      (void)type.getStridesAndOffset(strides, offset);
      place = memref::ReinterpretCastOp::create(
          b, copy.getLoc(), type, target, offset, type.getShape(), strides);
    }
    copy.erase();
    buffer.getResult().replaceAllUsesWith(place);
    buffer.erase();
    ++numPlaced;
  }
}

/// Whether all uses of `value` but those by `op` come after `op`, or before it.
bool Placer::isOutside(Value value, Operation *op, bool isBefore) {
  SetVector<Operation *> users;
  collectUsers(value, users);
  return llvm::all_of(users, [&](Operation *user) {
    // Results of loops and branches may be the same memory.
    if (isa<RegionBranchOpInterface>(user))
      return false;
    return user == op || isa<ViewLikeOpInterface>(user) ||
           user->isBeforeInBlock(op) == isBefore;
  });
}

/// Whether `output` can be the memory of `input`, which dies in `op`.
bool Placer::mayReuse(linalg::GenericOp op, OpOperand &input, Value output) {
  auto dying = input.get().getDefiningOp<memref::AllocOp>();
  AffineMap map = op.getMatchingIndexingMap(&input);
  if (!dying || dying->getBlock() != &block || !map.isPermutation() ||
      dying.getType() != output.getType() || !isIdentity(output) ||
      !isOutside(dying, op, /*isBefore=*/true))
    return false;
  for (Value root : getBodyReads(op))
    if (root == dying.getResult() || root == output)
      return false;
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::is_contained({Value(dying), output}, operand.get()) &&
        op.getMatchingIndexingMap(&operand) != map)
      return false;
  // The op does not need what `output` held, nor sees either through a view.
  return llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
    if (!isa<MemRefType>(operand.get().getType()))
      return false;
    Value root = getAddressBase(operand.get());
    if (root == output)
      return operand.get() != output || !op.isDpsInit(&operand);
    return root == dying && operand.get() != root;
  });
}

/// An elementwise op writes its result where an operand was that nobody needs
/// any more.
void Placer::reuse() {
  SmallVector<linalg::GenericOp> ops(block.getOps<linalg::GenericOp>());
  for (linalg::GenericOp op : ops) {
    if (op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1)
      continue;
    if (!op.getBlock()->getArguments().back().use_empty())
      continue; // it reads what the output held
    Value output = op.getDpsInitOperand(0)->get();
    auto buffer = output.getDefiningOp<memref::AllocOp>();
    bool isResult =
        isa<BlockArgument>(output) && output.getParentBlock() == &block;
    if ((!isResult && !(buffer && buffer->getBlock() == &block)) ||
        !isOutside(output, op, /*isBefore=*/false))
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!mayReuse(op, *input, output))
        continue;
      Value dying = input->get();
      if (isResult) {
        dying.replaceAllUsesWith(output);
        dying.getDefiningOp()->erase();
      } else {
        output.replaceAllUsesWith(dying);
        buffer.erase();
      }
      ++numPlaced;
      break;
    }
  }
}

namespace {

struct PlaceResults : impl::PlaceResultsPassBase<PlaceResults> {
  using PlaceResultsPassBase::PlaceResultsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr("partita.body"))
        continue;
      Placer placer(function);
      placer.mergeDonated();
      placer.place();
      placer.reuse();
      numPlaced += placer.numPlaced;
    }
  }
};

} // namespace
} // namespace partita
