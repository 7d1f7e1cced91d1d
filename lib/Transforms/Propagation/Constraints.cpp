// Constraints act on their inputs before propagation begins.
#include "Seeds.h"

using namespace mlir;

namespace partita::propagation {

using spmd::ConstraintOp;
using spmd::ManualOp;
using spmd::ShardingAttr;

ShardingAttr PropagationSeeds::get(Value value, const CallTree &calls) const {
  Value owner = getShardingOwner(value);
  if (ShardingAttr sharding = shardings.lookup(owner))
    return sharding;
  if (auto call = owner.getDefiningOp<func::CallOp>())
    return getCallResultSharding(call, cast<OpResult>(owner).getResultNumber(),
                                 calls);
  return spmd::getSharding(owner);
}

namespace {
class ConstraintApplication {
public:
  ConstraintApplication(const CallTree &calls, PropagationSeeds &seeds)
      : calls(calls), seeds(seeds) {}

  void visit(Region &region);

private:
  void visit(ConstraintOp constraint);
  void visit(ManualOp manual);
  bool shouldApply(Value input, ShardingAttr sharding);
  void apply(Value input, ShardingAttr sharding,
             llvm::function_ref<ConstraintOp()> getConstraintBehind);
  ConstraintOp getEndOfChain(ConstraintOp head);
  bool isReturnOfRoot(Operation *op) {
    return isa<func::ReturnOp>(op) &&
           calls.isRoot(cast<func::FuncOp>(op->getParentOp()));
  }

  const CallTree &calls;
  PropagationSeeds &seeds;
};
} // namespace

static ShardingAttr getInSharding(OpOperand &use) {
  auto manual = cast<ManualOp>(use.getOwner());
  return cast<ShardingAttr>(
      manual.getInShardingsAttr()[use.getOperandNumber()]);
}

static bool isClosed(ShardingAttr sharding) {
  return llvm::all_of(sharding.getDims(), [](spmd::DimShardingAttr dim) {
    return dim.getIsClosed();
  });
}

/// True if a constraint or manual region wants `input` otherwise.
static bool isWantedOtherwise(Value input, ShardingAttr sharding) {
  return llvm::any_of(input.getUses(), [&](OpOperand &use) {
    if (auto constraint = dyn_cast<ConstraintOp>(use.getOwner()))
      return constraint.getShardingAttr() != sharding;
    return isa<ManualOp>(use.getOwner()) && getInSharding(use) != sharding;
  });
}

static bool isConstrained(Value input, Operation *except = nullptr) {
  return llvm::any_of(input.getUsers(), [&](Operation *user) {
    return user != except && isa<ConstraintOp, ManualOp>(user);
  });
}

bool ConstraintApplication::shouldApply(Value input, ShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(input)) {
    // Arguments of reducers and the like hold no sharding.
    Operation *op = argument.getOwner()->getParentOp();
    if (!isa<func::FuncOp>(op) && !isRegionFlow(op))
      return false;
  }
  // Open constraints don't act on their inputs: what XLA and JAX users expect.
  return !seeds.get(input, calls) && isClosed(sharding) &&
         !isWantedOtherwise(input, sharding);
}

/// The sharding of `input`, open where nothing is known, with the unreduced
/// axes of `from`.
static ShardingAttr withUnreduced(ShardingAttr current, ShardingAttr from) {
  if (!current)
    current = ShardingAttr::getReplicated(from.getContext(),
                                          from.getMesh().getValue(),
                                          from.getRank(), /*isClosed=*/false);
  return ShardingAttr::get(current.getContext(), current.getMesh(),
                           current.getDims(), current.getReplicated(),
                           from.getUnreduced(), from.getReductionKind());
}

void ConstraintApplication::apply(
    Value input, ShardingAttr sharding,
    llvm::function_ref<ConstraintOp()> getConstraintBehind) {
  if (!shouldApply(input, sharding))
    return;
  if (!isFlowTarget(input, calls)) {
    seeds.set(input, sharding);
    return;
  }
  ConstraintOp constraint = getConstraintBehind();
  input.replaceAllUsesExcept(constraint.getResult(), constraint);
  // Unreduced axes don't propagate, so the value itself must say them.
  if (!sharding.getUnreduced().empty())
    seeds.set(input, withUnreduced(seeds.get(input, calls), sharding));
}

/// The last constraint of a chain that begins with `head`; null unless the
/// chain is the only thing that constrains the head's input and has no side
/// uses.
ConstraintOp ConstraintApplication::getEndOfChain(ConstraintOp head) {
  Value input = head.getInput();
  if (input.getDefiningOp<ConstraintOp>() || seeds.get(input, calls) ||
      isConstrained(input, head))
    return nullptr;
  ConstraintOp end = head;
  while (end->hasOneUse() && isa<ConstraintOp>(*end->user_begin()))
    end = cast<ConstraintOp>(*end->user_begin());
  if (end == head || isConstrained(end.getResult()))
    return nullptr;
  return end;
}

void ConstraintApplication::visit(ConstraintOp constraint) {
  if (ConstraintOp end = getEndOfChain(constraint)) {
    constraint.getInput().replaceUsesWithIf(
        end.getResult(), [&](OpOperand &use) {
          Operation *user = use.getOwner();
          return user != constraint && !isReturnOfRoot(user) &&
                 end->getBlock() == user->getBlock() &&
                 end->isBeforeInBlock(user);
        });
  }
  Value input = constraint.getInput();
  apply(input, constraint.getShardingAttr(), [&]() {
    if (Operation *definition = input.getDefiningOp())
      constraint->moveAfter(definition);
    else
      constraint->moveBefore(&cast<BlockArgument>(input).getOwner()->front());
    return constraint;
  });
}

void ConstraintApplication::visit(ManualOp manual) {
  for (OpOperand &operand : manual->getOpOperands()) {
    Value input = operand.get();
    if (!isa<RankedTensorType>(input.getType()))
      continue;
    ShardingAttr sharding = getInSharding(operand);
    apply(input, sharding, [&]() {
      OpBuilder builder(manual);
      builder.setInsertionPointAfterValue(input);
      return ConstraintOp::create(builder, manual.getLoc(), input.getType(),
                                  input, sharding);
    });
  }
}

void ConstraintApplication::visit(Region &region) {
  for (Block &block : region) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto call = dyn_cast<func::CallOp>(&op))
        if (func::FuncOp callee = calls.getCallee(call))
          visit(callee.getBody());
      for (Region &inner : op.getRegions())
        visit(inner);
      if (auto constraint = dyn_cast<ConstraintOp>(&op))
        visit(constraint);
      else if (auto manual = dyn_cast<ManualOp>(&op))
        visit(manual);
    }
  }
}

void applyConstraints(ModuleOp module, const CallTree &calls,
                      PropagationSeeds &seeds) {
  ConstraintApplication application(calls, seeds);
  for (func::FuncOp function : calls.getRoots())
    application.visit(function.getBody());
}

} // namespace partita::propagation
