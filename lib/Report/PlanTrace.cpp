// What the trace takes down at each phase. Answers are in Origins.cpp.
#include "partita/Report/PlanTrace.h"
#include "LocationMarks.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "partita/Sharding/FactorSharding.h"
#include "partita/Transforms/Propagation/ProposedLayouts.h"

using namespace mlir;

namespace partita {

using propagation::kNone;

static std::string printValue(Value value, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, names);
  return text;
}

/// Names, places and annotations of all slots, while their values exist.
void PlanTrace::nameSlots(ModuleOp module) {
  const propagation::ModuleGraph &graph = run->getModuleGraph();
  size_t count = graph.graph.slots.size();
  names.resize(count);
  locations.resize(count);
  constraints.resize(count);
  proposed.resize(count);
  isArgument.resize(count);
  AsmState state(module);
  for (auto [value, slot] : graph.slotOf) {
    // Of values that share a slot, the op's result stands for all.
    if (!names[slot].empty() && !isa<OpResult>(value))
      continue;
    names[slot] = printValue(value, state);
    locations[slot] = value.getLoc();
    proposed[slot] = spmd::getSharding(value);
    auto argument = dyn_cast<BlockArgument>(value);
    isArgument[slot] =
        argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }
  for (const propagation::FunctionResultSlots &result : graph.functionResults) {
    func::FuncOp function = result.function;
    resultSlots[{function.getName().str(), result.index}] = result.attribute;
    if (!names[result.attribute].empty())
      continue;
    names[result.attribute] = "result " + std::to_string(result.index) +
                              " of @" + function.getName().str();
    locations[result.attribute] = function.getLoc();
    proposed[result.attribute] =
        spmd::getResultSharding(function, result.index);
  }
  // The input has the constraint's layout only where nothing else gave it one.
  module.walk([&](spmd::ConstraintOp constraint) {
    for (Value value : {constraint.getInput(), constraint.getResult()})
      if (SlotId slot = graph.getSlot(value);
          slot != kNone && proposed[slot] &&
          isSameLayout(proposed[slot], constraint.getSharding()))
        constraints[slot] = constraint.getLoc();
  });
  for (auto [number, node] : llvm::enumerate(graph.graph.nodes))
    if (node.op)
      nodeNames[number] = node.op->getName().getStringRef().str();
}

void PlanTrace::recordPropagation(
    ModuleOp module, std::shared_ptr<propagation::PropagationRun> steps) {
  // Only a remark itself tells whether its category is wanted.
  remark::detail::InFlightRemark summary = remark::analysis(
      module.getLoc(),
      remark::RemarkOpts::name("Propagation").category("plan"));
  if (!always && !summary)
    return;
  run = std::move(steps);
  summary << remark::add("{0} values are sharded, after {1} steps",
                         run->getNumValues(),
                         run->getProvenance().getSteps().size());
  nameSlots(module);
  const propagation::ModuleGraph &graph = run->getModuleGraph();
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments())
      argumentSlots[{function.getName().str(), argument.getArgNumber()}] =
          graph.getSlot(argument);
    if (auto list =
            function->getAttrOfType<DenseI64ArrayAttr>("spmd.proposed_results"))
      for (int64_t index : list.asArrayRef())
        proposedResults.insert({function.getName().str(), unsigned(index)});
  }
  AsmState state(module);
  module.walk([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp, spmd::MeshOp>(op))
      return;
    TracedOp record(op->getName().getStringRef().str(), op->getLoc());
    for (Value operand : op->getOperands())
      record.operands.push_back(graph.getSlot(operand));
    for (Value result : op->getResults()) {
      record.results.push_back(
          {printValue(result, state), graph.getSlot(result)});
      record.proposed.push_back(spmd::getSharding(result));
    }
    op->setLoc(addMark(op->getLoc(), Mark::Propagated, ops.size()));
    ops.push_back(std::move(record));
  });
}

int PlanTrace::getTracedOp(Operation *op) const {
  auto marks = getMarks(op->getLoc(), Mark::Propagated);
  return marks.empty() ? -1 : int(marks.front());
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

bool PlanTrace::wantsStrategies(Operation *op) {
  int number = question.empty() || !isRecorded() ? -1 : getTracedOp(op);
  if (number < 0)
    return false;
  const TracedOp &record = ops[number];
  return record.name == question ||
         llvm::any_of(record.results, [&](const TracedValue &value) {
           return value.name == question;
         });
}

void PlanTrace::recordStrategies(Operation *op,
                                 ArrayRef<SplitStrategy> strategies) {
  ops[getTracedOp(op)].strategies.assign(strategies.begin(), strategies.end());
}

TracedValue PlanTrace::getValue(Value value) const {
  if (auto result = dyn_cast<OpResult>(value)) {
    int op = getTracedOp(result.getOwner());
    // An op that was made since, such as a reshard, has its maker's location.
    if (op >= 0 &&
        ops[op].name == result.getOwner()->getName().getStringRef() &&
        result.getResultNumber() < ops[op].results.size())
      return ops[op].results[result.getResultNumber()];
    return {"a result of " + result.getOwner()->getName().getStringRef().str()};
  }
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(owner)) {
    SlotId slot = getArgumentSlot(function.getName(), argument.getArgNumber());
    if (slot != kNone)
      return {names[slot], slot};
  }
  return {"argument " + std::to_string(argument.getArgNumber()) + " of the " +
          owner->getName().getStringRef().str() + " region"};
}

/// The summed dimensions of `producer` that are split: what leaves its result
/// partial.
void PlanTrace::recordSums(Operation *producer, TracedReshard &record) const {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(producer);
  int traced = getTracedOp(producer);
  if (!shardable || record.from.getUnreduced().empty() || traced < 0)
    return;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule))
    return;
  for (auto [index, mapping] : llvm::enumerate(rule->operands)) {
    spmd::ShardingAttr sharding =
        spmd::getSharding(producer->getOperand(index));
    for (auto [dim, factors] : llvm::enumerate(mapping.dims)) {
      bool isSummed = llvm::any_of(factors, [&](int factor) {
        return rule->factors[factor].isReduced();
      });
      if (!isSummed || !sharding || sharding.getDims()[dim].getAxes().empty())
        continue;
      SummedDimension sum;
      sum.operand = index;
      sum.dim = dim;
      if (index < ops[traced].operands.size())
        sum.slot = ops[traced].operands[index];
      sum.axes.assign(sharding.getDims()[dim].getAxes().begin(),
                      sharding.getDims()[dim].getAxes().end());
      record.summed.push_back(std::move(sum));
    }
  }
}

static TracedUse makeUse(OpOperand &use, int traced) {
  Operation *user = use.getOwner();
  TracedUse record;
  record.operand = use.getOperandNumber();
  if (isa<func::ReturnOp>(user)) {
    record.isResult = true;
    record.function = user->getParentOfType<func::FuncOp>().getName().str();
  } else if (user->hasTrait<OpTrait::IsTerminator>()) {
    record.text = "the " + user->getParentOp()->getName().getStringRef().str() +
                  " region's result " + std::to_string(use.getOperandNumber());
  } else {
    record.op = traced;
    record.text = user->getName().getStringRef().str();
  }
  return record;
}

void PlanTrace::recordReshard(spmd::ReshardOp reshard, PlacedOp &record) const {
  TracedReshard &traced = record.reshard.emplace();
  traced.from = spmd::getSharding(reshard.getInput());
  traced.to = reshard.getSharding();
  traced.type = cast<RankedTensorType>(reshard.getInput().getType());
  if (!traced.from)
    traced.from = traced.to;
  // The value itself, behind other layouts of it.
  Value root = reshard.getInput();
  while (auto inner = root.getDefiningOp<spmd::ReshardOp>())
    root = inner.getInput();
  traced.value = getValue(root);
  if (Operation *producer = root.getDefiningOp()) {
    traced.producer = getTracedOp(producer);
    recordSums(producer, traced);
  }
  int maker = getTracedOp(reshard);
  traced.isConstraint = maker >= 0 && (ops[maker].name == "spmd.constraint" ||
                                       ops[maker].name == "spmd.reshard");
  for (OpOperand &use : reshard.getResult().getUses())
    if (!isa<spmd::ReshardOp>(use.getOwner()))
      traced.uses.push_back(makeUse(use, getTracedOp(use.getOwner())));
}

void PlanTrace::recordPlacement(ModuleOp module) {
  if (!isRecorded())
    return;
  SmallVector<Operation *> all;
  module.walk([&](Operation *op) {
    if (!isa<ModuleOp, func::FuncOp, spmd::MeshOp>(op))
      all.push_back(op);
  });
  // Records first: they read marks, which the second loop wraps.
  for (Operation *op : all) {
    int number = getTracedOp(op);
    PlacedOp record{number, op->getName().getStringRef().str(),
                    removeMarks(op->getLoc()), std::nullopt};
    if (auto reshard = dyn_cast<spmd::ReshardOp>(op))
      recordReshard(reshard, record);
    else if (number >= 0 && ops[number].name == record.name)
      for (Value result : op->getResults())
        ops[number].chosen.push_back(spmd::getSharding(result));
    placed.push_back(std::move(record));
  }
  for (auto [number, op] : llvm::enumerate(all))
    op->setLoc(addMark(op->getLoc(), Mark::Placed, number));
}

SmallVector<unsigned, 1> PlanTrace::getPlacedOps(Location loc) const {
  SmallVector<unsigned, 1> marks = getMarks(loc, Mark::Placed);
  llvm::erase_if(marks, [&](unsigned mark) { return mark >= placed.size(); });
  return marks;
}

} // namespace partita
