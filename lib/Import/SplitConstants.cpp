// spmd-split-constants: every use of a constant gets a copy of its own. Before:
// any module of the phase. After: a constant expression that is not a scalar,
// and a broadcast of a scalar, have one use each (besides spmd.group).
#include "OpBodies.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Import/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_SPLITCONSTANTSPASS
#include "partita/Import/Passes.h.inc"

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Whether `op` makes a constant of constant operands: pure, elementwise or one
/// of the plain changes of shape.
static bool preservesConstants(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
              stablehlo::SliceOp>(op) ||
          stablehlo::isElementwise(op));
}

static bool isScalarBroadcast(Operation *op) {
  return isa<stablehlo::BroadcastInDimOp>(op) && isScalar(op->getOperand(0));
}

namespace {

/// Splits the constants of one function.
class ConstantSplitter {
public:
  explicit ConstantSplitter(func::FuncOp function) : function(function) {}
  /// Returns the number of ops copied.
  int64_t run();

private:
  bool isConstant(Operation *op) const { return constants.contains(op); }
  bool hasOneUser(Value value) const;
  bool isExclusive(Value value) const;
  Value copy(Value value, IRMapping &mapping);

  func::FuncOp function;
  llvm::SetVector<Operation *> constants;
  llvm::SetVector<Operation *> scalarBroadcasts;
  int64_t copies = 0;
};

} // namespace

/// Uses by spmd.group are ties to other values, not uses.
bool ConstantSplitter::hasOneUser(Value value) const {
  int64_t uses = llvm::count_if(value.getUses(), [](OpOperand &use) {
    return !isa<spmd::GroupOp>(use.getOwner());
  });
  return uses == 1;
}

/// Whether nothing else reads `value` or what it is made of.
bool ConstantSplitter::isExclusive(Value value) const {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (isScalar(next))
      continue;
    if (!hasOneUser(next))
      return false;
    Operation *op = next.getDefiningOp();
    if (op && isConstant(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// Copies the expression behind `value` before the original; scalars are
/// shared. `mapping` keeps what one copy uses twice shared in the copy.
Value ConstantSplitter::copy(Value value, IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  bool copied = op && (isConstant(op) || scalarBroadcasts.contains(op));
  if (isScalar(value) || !copied)
    return value;
  if (Value known = mapping.lookupOrNull(value))
    return known;
  for (Value operand : op->getOperands())
    (void)copy(operand, mapping);
  OpBuilder builder(op);
  builder.clone(*op, mapping);
  ++copies;
  for (Operation *user : value.getUsers())
    if (isa<spmd::GroupOp>(user))
      builder.clone(*user, mapping);
  return mapping.lookup(value);
}

int64_t ConstantSplitter::run() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp, spmd::GroupOp>(op))
      return;
    bool operandsAreConstant =
        llvm::all_of(op->getOperands(), [&](Value operand) {
          Operation *def = operand.getDefiningOp();
          return def && isConstant(def);
        });
    if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op) ||
        (operandsAreConstant && preservesConstants(op))) {
      constants.insert(op);
      return;
    }
    if (isScalarBroadcast(op)) {
      scalarBroadcasts.insert(op);
      return;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *def = operand.get().getDefiningOp();
      if (!def || !(isConstant(def) || scalarBroadcasts.contains(def)) ||
          isExclusive(operand.get()))
        continue;
      IRMapping mapping;
      operand.set(copy(operand.get(), mapping));
    }
  });
  auto eraseUnused = [](Operation *op) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<spmd::GroupOp>))
      return;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      user->erase();
    op->erase();
  };
  for (Operation *op : scalarBroadcasts)
    eraseUnused(op);
  for (Operation *op : llvm::reverse(constants))
    eraseUnused(op);
  return copies;
}

namespace {
struct SplitConstants : impl::SplitConstantsPassBase<SplitConstants> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        numCopies += ConstantSplitter(function).run();
  }
};
} // namespace

} // namespace partita
