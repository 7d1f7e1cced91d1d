// Rewrites of reductions.

#include "CollectiveRebuilding.h"
#include "CollectiveSimplifier.h"

using namespace mlir;

namespace partita {

using spmd::AxisListAttr;

bool CollectiveSimplifier::reduceWhole(spmd::AllReduceOp op) {
  auto partial =
      getSource<spmd::ToUnreducedOp>(op.getInputs()[0], op, op.getMeshAttr());
  if (!partial || partial.getKind() != op.getKind() ||
      partial.getAxes() != op.getAxes())
    return false;
  if (!isAccepted(op, "the value itself for all_reduce of to_unreduced",
                  costs.getCost(op), {}))
    return false;
  ++counts.reductionsMerged;
  replace(op, partial.getInput());
  return true;
}

/// Combining a value with itself gives the value.
static bool isIdempotent(spmd::ReductionKind kind) {
  using spmd::ReductionKind;
  return kind == ReductionKind::Max || kind == ReductionKind::Min ||
         kind == ReductionKind::And || kind == ReductionKind::Or;
}

bool CollectiveSimplifier::reduceReduction(spmd::AllReduceOp op) {
  auto inner =
      getSource<spmd::AllReduceOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!inner || !mesh || inner.getKind() != op.getKind())
    return false;
  AxisRefs first(inner.getAxes().getAxes()), second(op.getAxes().getAxes());
  if (isIdempotent(op.getKind()) && subtractAxes(first, second, mesh)) {
    if (!isAccepted(op, "the first all_reduce for all_reduce of all_reduce",
                    costs.getCost(op), {}))
      return false;
    ++counts.reductionsMerged;
    replace(op, inner.getResults());
    return true;
  }
  if (!inner.getResult(0).hasOneUse() || haveCommonPart(first, second, mesh))
    return false;
  first.append(second);
  if (!isAccepted(op, "one all_reduce for all_reduce of all_reduce",
                  costs.getCost(inner) + costs.getCost(op),
                  costs.getCost(CollectiveKind::AllReduce, mesh, first,
                                getOperandBytes(op))))
    return false;
  b.setInsertionPoint(op);
  auto reduce = spmd::AllReduceOp::create(
      b, op.getLoc(), op.getResultTypes(), inner.getInputs(), op.getMeshAttr(),
      AxisListAttr::get(b.getContext(), first), op.getKindAttr());
  ++counts.reductionsMerged;
  replace(op, reduce.getResults());
  return true;
}

bool CollectiveSimplifier::scatterScatter(spmd::ReduceScatterOp op) {
  auto inner =
      getSource<spmd::ReduceScatterOp>(op.getInputs()[0], op, op.getMeshAttr());
  spmd::MeshAttr mesh = spmd::lookupMesh(op, op.getMeshAttr());
  if (!inner || !mesh || inner.getKind() != op.getKind() ||
      !inner.getResult(0).hasOneUse() ||
      haveCommonPart(concatenateAxes(op.getScatterAxes()),
                     concatenateAxes(inner.getScatterAxes()), mesh))
    return false;
  ArrayAttr lists =
      joinAxisLists(inner.getScatterAxes(), op.getScatterAxes(), mesh);
  if (!isAccepted(op, "one reduce_scatter for reduce_scatter of reduce_scatter",
                  costs.getCost(inner) + costs.getCost(op),
                  costs.getCost(CollectiveKind::ReduceScatter, mesh,
                                concatenateAxes(lists),
                                getOperandBytes(inner))))
    return false;
  b.setInsertionPoint(op);
  auto scatter = spmd::ReduceScatterOp::create(
      b, op.getLoc(), op.getResultTypes(), inner.getInputs(), op.getMeshAttr(),
      lists, op.getKindAttr());
  ++counts.reductionsMerged;
  replace(op, scatter.getResults());
  return true;
}

/// True if `op` maps elements to elements and is linear in all its operands
/// together: partial sums may pass through it.
static bool isLinearSum(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable || op->getNumOperands() < 2 || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  return succeeded(rule) && rule->isPointwise &&
         llvm::all_of(rule->operandTraits,
                      [](const spmd::OperandTraits &traits) {
                        return traits.linearJointly;
                      });
}

/// True if the two differ in operands and types only.
static bool isSameCollective(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getNumOperands() == 1 &&
         b->getNumOperands() == 1 &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute();
}

/// op is one of several reductions whose results one linear op adds up.
bool CollectiveSimplifier::reduceSumOnce(Operation *op) {
  if (auto reduce = dyn_cast<spmd::AllReduceOp>(op))
    if (reduce.getKind() != spmd::ReductionKind::Add)
      return false;
  if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(op))
    if (scatter.getKind() != spmd::ReductionKind::Add)
      return false;
  Value result = op->getResult(0);
  Operation *sum = result.hasOneUse() ? *result.getUsers().begin() : nullptr;
  if (!sum || sum->getBlock() != op->getBlock() ||
      isa<spmd::CollectiveOpInterface>(sum) || !isLinearSum(sum) ||
      getElementTypeOrSelf(sum->getResult(0).getType()) !=
          getElementTypeOrSelf(result.getType()))
    return false;
  SmallVector<Value> partials;
  CollectiveCost before;
  for (Value operand : sum->getOperands()) {
    Operation *other = operand.getDefiningOp();
    if (!other || !operand.hasOneUse() || !isSameCollective(op, other) ||
        operand.getType() != result.getType() ||
        other->getOperand(0).getType() != op->getOperand(0).getType())
      return false;
    before += costs.getCost(other);
    partials.push_back(other->getOperand(0));
  }
  // Adding before a scatter adds larger values.
  CollectiveCost after = costs.getCost(op);
  after.seconds += double(sum->getNumOperands() + 1) *
                   (getOperandBytes(op) - getResultBytes(op)) /
                   costs.getModel().getMachine().memoryBandwidth;
  if (!isAccepted(op, "one reduction for a sum of reductions", before, after))
    return false;
  b.setInsertionPoint(sum);
  Operation *early = b.clone(*sum);
  early->setOperands(partials);
  auto resultType = cast<RankedTensorType>(sum->getResult(0).getType());
  early->getResult(0).setType(resultType.clone(
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape()));
  Operation *reduction =
      rebuildCollective(b, op, early->getResults(), sum->getResultTypes());
  ++counts.reductionsMerged;
  SmallVector<Operation *> old;
  for (Value operand : sum->getOperands())
    old.push_back(operand.getDefiningOp());
  sum->replaceAllUsesWith(reduction->getResults());
  sum->erase();
  for (Operation *each : old)
    eraseIfDead(each);
  add(reduction);
  return true;
}

} // namespace partita
