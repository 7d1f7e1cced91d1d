// Collects nodes, values and uses of a module.

#include "ValueFlow.h"
#include "dialects/SPMD/FreeLoops.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {

spmd::ShardingAttr getPlainSharding(spmd::ShardingAttr sharding) {
  spmd::ShardingAttr closed = sharding.getClosed();
  return spmd::ShardingAttr::get(closed.getContext(), closed.getMesh(),
                                 closed.getDims(), {}, closed.getUnreduced(),
                                 closed.getReductionKind());
}

const spmd::ShardingRule *ValueFlow::getIdentityRule(RankedTensorType type,
                                                     bool passesPartials) {
  std::unique_ptr<spmd::ShardingRule> &rule =
      identityRules[{type, passesPartials}];
  if (rule)
    return rule.get();
  rule = std::make_unique<spmd::ShardingRule>();
  spmd::TensorMapping mapping;
  for (int64_t size : type.getShape())
    mapping.dims.push_back({rule->addFactor(size)});
  rule->operands = {mapping};
  rule->results = {mapping};
  rule->operandTraits.resize(1);
  rule->operandTraits[0].linear =
      passesPartials && !type.getElementType().isInteger(1);
  rule->flopsPerPoint = 0;
  return rule.get();
}

namespace {

class Collector {
public:
  Collector(ModuleOp module, const ReshardCosts &costs,
            PlacementFreedom freedom)
      : module(module), symbols(module), costs(costs), freedom(freedom),
        flow(std::make_unique<ValueFlow>()) {}

  LogicalResult run();
  void measureSpans();
  std::unique_ptr<ValueFlow> take() { return std::move(flow); }

private:
  LogicalResult visitFunction(func::FuncOp function);
  LogicalResult visitCall(func::CallOp call, func::FuncOp callee, double trips);
  int addChosen(Value value, Operation *at, double trips,
                bool passesPartials = true);
  LogicalResult visitBlock(Block &block, double trips);
  LogicalResult visitOp(Operation *op, double trips);
  LogicalResult visitDataFlow(Operation *op, double trips);
  LogicalResult addOpNode(Operation *op, double trips);
  void addForwarded(Operation *op, double trips);
  void addArguments(func::FuncOp function);
  void addResults(func::FuncOp function, Operation *terminator);
  int addIdentity(Value value, spmd::ShardingAttr sharding, Operation *at,
                  double trips, bool passesPartials = true);
  void addGiven(Value value, double trips);
  void addValue(Value value, int node, unsigned index, spmd::ShardingAttr given,
                Operation *at, double trips);
  void addUse(OpOperand &operand, int node, unsigned index,
              spmd::ShardingAttr given = {});
  void addWholeUse(OpOperand &operand, bool isPriced = true);
  void addCaptured(Operation *op);

  ModuleOp module;
  SymbolTable symbols;
  const ReshardCosts &costs;
  PlacementFreedom freedom;
  std::unique_ptr<ValueFlow> flow;
  DenseMap<Value, unsigned> valueIndex;
  /// Calls of each function; those with one call are seen through.
  DenseMap<StringAttr, unsigned> numCalls;
};

} // namespace

void Collector::addValue(Value value, int node, unsigned index,
                         spmd::ShardingAttr given, Operation *at,
                         double trips) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !spmd::getSharding(value))
    return;
  FlowValue entry;
  entry.value = value;
  entry.type = type;
  entry.node = node;
  entry.index = index;
  entry.given = given ? getPlainSharding(given) : given;
  entry.manualAxes = costs.getManualAxes(at);
  entry.trips = trips;
  valueIndex[value] = flow->values.size();
  flow->values.push_back(std::move(entry));
}

void Collector::addGiven(Value value, double trips) {
  Operation *at = value.getDefiningOp();
  if (!at) // an op inside the region, so that its manual axes count
    at = &cast<BlockArgument>(value).getOwner()->front();
  addValue(value, -1, 0, spmd::getSharding(value), at, trips);
}

void Collector::addUse(OpOperand &operand, int node, unsigned index,
                       spmd::ShardingAttr given) {
  auto it = valueIndex.find(operand.get());
  if (it == valueIndex.end() || (node < 0 && !given))
    return;
  flow->values[it->second].uses.push_back(
      {&operand, node, index, given ? getPlainSharding(given) : given});
}

int Collector::addIdentity(Value value, spmd::ShardingAttr sharding,
                           Operation *at, double trips, bool passesPartials) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !sharding)
    return -1;
  auto node = std::make_unique<FlowNode>();
  node->meshName = sharding.getMesh();
  node->mesh = costs.getMesh(node->meshName);
  if (!node->mesh)
    return -1;
  node->manualAxes = costs.getManualAxes(at);
  node->trips = trips;
  node->rule = flow->getIdentityRule(type, passesPartials);
  flow->nodes.push_back(std::move(node));
  return static_cast<int>(flow->nodes.size()) - 1;
}

/// One node for each. Partial sums do not pass ops of several results.
void Collector::addForwarded(Operation *op, double trips) {
  for (auto [operand, result] :
       llvm::zip_equal(op->getOpOperands(), op->getResults())) {
    int node = addChosen(result, op, trips, /*passesPartials=*/false);
    if (node >= 0)
      addUse(operand, node, 0);
  }
}

LogicalResult Collector::addOpNode(Operation *op, double trips) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable) {
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "has no op model, so it can't be partitioned";
    diagnostic.attachNote() << "fix: add a model to lib/OpModels, or replace "
                               "the op in the program";
    return diagnostic;
  }
  const spmd::ShardingRule *rule = flow->rules.get(shardable);
  if (!rule)
    return failure();
  if (forwardsEach(op, *rule)) {
    addForwarded(op, trips);
    return success();
  }
  auto node = std::make_unique<FlowNode>();
  auto look = [&](ValueRange values) {
    for (Value value : values)
      if (spmd::ShardingAttr sharding = spmd::getSharding(value))
        if (!node->meshName || sharding.hasShardedDim())
          node->meshName = sharding.getMesh();
  };
  look(op->getOperands());
  look(op->getResults());
  node->mesh = node->meshName ? costs.getMesh(node->meshName) : nullptr;
  if (!node->mesh) {
    for (Value result : op->getResults())
      addGiven(result, trips);
    return success();
  }
  node->op = op;
  node->rule = rule;
  node->manualAxes = costs.getManualAxes(op);
  node->trips = trips;
  int number = flow->nodes.size();
  flow->nodes.push_back(std::move(node));
  flow->nodeOfOp[op] = number;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      addUse(operand, number, operand.getOperandNumber());
  for (OpResult result : op->getResults())
    addValue(result, number, result.getResultNumber(), {}, op, trips);
  addCaptured(op);
  return success();
}

void Collector::addWholeUse(OpOperand &operand, bool isPriced) {
  spmd::ShardingAttr sharding = spmd::getSharding(operand.get());
  if (!sharding)
    return;
  if (isPriced)
    addUse(operand, -1, 0, sharding);
  flow->wholeUses.push_back({&operand, getPlainSharding(sharding)});
}

/// Bodies of ops read values from outside as propagation left them.
void Collector::addCaptured(Operation *op) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (!op->isAncestor(operand.get().getParentRegion()->getParentOp()))
          addWholeUse(operand);
    });
}

/// A value whose layout placement chooses: a carry, argument or result.
int Collector::addChosen(Value value, Operation *at, double trips,
                         bool passesPartials) {
  int node =
      addIdentity(value, spmd::getSharding(value), at, trips, passesPartials);
  if (node < 0)
    return node;
  flow->chosenValues[value] = node;
  addValue(value, node, 0, {}, at, trips);
  return node;
}

LogicalResult Collector::visitCall(func::CallOp call, func::FuncOp callee,
                                   double trips) {
  for (auto [operand, argument] :
       llvm::zip_equal(call->getOpOperands(), callee.getArguments())) {
    int node = addChosen(argument, &callee.getBody().front().front(), trips);
    if (node >= 0)
      addUse(operand, node, 0);
  }
  Block &body = callee.getBody().front();
  if (failed(visitBlock(body, trips)))
    return failure();
  for (auto [operand, result] : llvm::zip_equal(
           body.getTerminator()->getOpOperands(), call.getResults())) {
    int node = addChosen(result, call, trips);
    if (node >= 0)
      addUse(operand, node, 0);
  }
  return success();
}

LogicalResult Collector::visitDataFlow(Operation *op, double trips) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal() && callee.isPrivate() &&
        numCalls.lookup(callee.getSymNameAttr()) == 1)
      return visitCall(call, callee, trips);
  }
  // Where the op's own results and arguments come from must be known first.
  DenseMap<Value, int> targets;
  bool isBranch = isa<RegionBranchOpInterface>(op) && !isa<spmd::ManualOp>(op);
  if (isBranch)
    for (Value result : op->getResults())
      if (int node = addChosen(result, op, trips); node >= 0)
        targets[result] = node;
  double inner = trips;
  if (isa<LoopLikeOpInterface>(op)) {
    // Inside, a carry is another value: what moves it moves it in each trip.
    inner *= getStaticTripCount(op).value_or(1);
    for (Region &region : op->getRegions())
      for (auto [argument, result] :
           llvm::zip(region.getArguments(), op->getResults())) {
        auto it = targets.find(result);
        if (it == targets.end() || argument.getType() != result.getType())
          continue;
        int node = it->second;
        targets[argument] = node;
        addValue(argument, node, 0, {}, op, inner);
      }
  }
  llvm::SmallPtrSet<OpOperand *, 8> seen;
  auto visitEdge = [&](OpOperand &operand, const EdgeTarget &target) {
    seen.insert(&operand);
    auto it = target.value ? targets.find(target.value) : targets.end();
    if (it != targets.end())
      addUse(operand, it->second, 0);
    else
      addUse(operand, -1, 0, target.sharding);
  };
  forEachEntryEdge(op, symbols, visitEdge);
  // Predicates and indices are read whole.
  for (OpOperand &operand : op->getOpOperands())
    if (!seen.contains(&operand))
      addWholeUse(operand);
  if (auto manual = dyn_cast<spmd::ManualOp>(op))
    for (Value argument : manual.getBody().getArguments())
      addGiven(argument, trips);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (failed(visitBlock(block, inner)))
        return failure();
      Operation *terminator = block.getTerminator();
      seen.clear();
      forEachExitEdge(terminator, visitEdge);
      for (OpOperand &operand : terminator->getOpOperands())
        if (!seen.contains(&operand))
          addWholeUse(operand, !op->hasAttr(spmd::kRowsRunFree));
    }
  if (!isBranch)
    for (Value result : op->getResults())
      addGiven(result, trips);
  return success();
}

LogicalResult Collector::visitOp(Operation *op, double trips) {
  if (auto constraint = dyn_cast<spmd::ConstraintOp>(op)) {
    if (freedom.constraints)
      if (int node = addChosen(constraint.getResult(), op, trips); node >= 0) {
        addUse(op->getOpOperand(0), node, 0);
        return success();
      }
    addUse(op->getOpOperand(0), -1, 0,
           spmd::getSharding(constraint.getResult()));
    addGiven(constraint.getResult(), trips);
    return success();
  }
  if (auto barrier = dyn_cast<spmd::PropagationBarrierOp>(op)) {
    addUse(op->getOpOperand(0), -1, 0, spmd::getSharding(barrier.getResult()));
    addGiven(barrier.getResult(), trips);
    return success();
  }
  if (isa<spmd::GroupOp>(op))
    return success();
  if (auto reshard = dyn_cast<spmd::ReshardOp>(op)) {
    addGiven(reshard.getResult(), trips);
    return success();
  }
  if (isDataFlow(op))
    return visitDataFlow(op, trips);
  return addOpNode(op, trips);
}

LogicalResult Collector::visitBlock(Block &block, double trips) {
  for (Operation &op : block.without_terminator())
    if (failed(visitOp(&op, trips)))
      return failure();
  return success();
}

static bool isProposed(func::FuncOp function, StringRef name, unsigned index) {
  auto proposed = function->getAttrOfType<DenseI64ArrayAttr>(name);
  return proposed && llvm::is_contained(proposed.asArrayRef(), int64_t(index));
}

/// By result, the first argument whose memory the caller gives to it, which
/// then has the argument's layout; null: none.
static SmallVector<Value> getDonatedArguments(func::FuncOp function) {
  SmallVector<Value> donated(function.getNumResults());
  for (BlockArgument argument : function.getArguments())
    if (auto alias = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), "tf.aliasing_output"))
      if (alias.getValue().ult(donated.size()) && !donated[alias.getInt()])
        donated[alias.getInt()] = argument;
  return donated;
}

/// What a function takes: given, or free where nobody asked for a layout. An
/// argument whose memory becomes a result is free if the result is.
void Collector::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto alias =
        function.getArgAttrOfType<IntegerAttr>(index, "tf.aliasing_output");
    bool isFree =
        freedom.arguments && isProposed(function, kProposedArguments, index) &&
        (!alias || (freedom.results &&
                    isProposed(function, kProposedResults, alias.getInt())));
    int node = isFree ? addChosen(argument, &function.front().front(), 1) : -1;
    if (node < 0)
      addGiven(argument, 1);
    else
      flow->nodes[node]->isSignature = flow->nodes[node]->needsEvenBlocks =
          true;
  }
}

/// What a function returns: given, or free where nobody asked for a layout.
void Collector::addResults(func::FuncOp function, Operation *terminator) {
  SmallVector<Value> donations = getDonatedArguments(function);
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    spmd::ShardingAttr sharding = spmd::getResultSharding(function, index);
    bool isFree =
        freedom.results && isProposed(function, kProposedResults, index);
    int node = -1;
    if (Value donated = donations[index]; donated && isFree)
      node = flow->chosenValues.contains(donated)
                 ? int(flow->chosenValues[donated])
                 : -1;
    else if (isFree)
      node = addIdentity(operand.get(), sharding, terminator, 1);
    if (node < 0) {
      addUse(operand, -1, 0, sharding);
      continue;
    }
    flow->nodes[node]->isSignature = true;
    flow->nodes[node]->needsEvenBlocks |= !freedom.unevenResults;
    addUse(operand, node, 0);
    flow->freeResults.push_back({function, index, unsigned(node)});
  }
}

LogicalResult Collector::visitFunction(func::FuncOp function) {
  addArguments(function);
  for (Block &block : function.getBody()) {
    if (failed(visitBlock(block, 1)))
      return failure();
    addResults(function, block.getTerminator());
  }
  return success();
}

LogicalResult Collector::run() {
  size_t numResults = 0;
  module.walk([&](Operation *op) {
    numResults += op->getNumResults();
    if (auto call = dyn_cast<func::CallOp>(op))
      ++numCalls[call.getCalleeAttr().getAttr()];
  });
  flow->values.reserve(numResults + numResults / 8);
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isSeenThrough =
        function.isPrivate() && numCalls.lookup(function.getSymNameAttr()) == 1;
    if (!function.isExternal() && !isSeenThrough &&
        failed(visitFunction(function)))
      return failure();
  }
  return success();
}

/// Ops count in program order, bodies unfolded. Arguments of functions live as
/// long as their function.
void Collector::measureSpans() {
  DenseMap<Operation *, std::pair<int64_t, int64_t>> spans;
  int64_t position = 0;
  module.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      spans[op].first = position++;
    if (stage.isAfterAllRegions())
      spans[op].second = position;
  });
  flow->length = position;
  for (FlowValue &value : flow->values) {
    Block *block = value.value.getParentBlock();
    Operation *definition = value.value.getDefiningOp();
    bool isArgument =
        !definition && isa<FunctionOpInterface>(block->getParentOp());
    value.span = spans.lookup(definition ? definition : block->getParentOp());
    if (!isArgument)
      value.span.second = value.span.first;
    for (FlowUse &use : value.uses) {
      Operation *user = block->findAncestorOpInBlock(*use.operand->getOwner());
      use.span = user ? spans.lookup(user) : value.span;
      value.span.second = std::max(value.span.second, use.span.second);
    }
  }
}

FailureOr<std::unique_ptr<ValueFlow>>
ValueFlow::collect(ModuleOp module, const ReshardCosts &costs,
                   PlacementFreedom freedom) {
  Collector collector(module, costs, freedom);
  if (failed(collector.run()))
    return failure();
  collector.measureSpans();
  return collector.take();
}

} // namespace partita
