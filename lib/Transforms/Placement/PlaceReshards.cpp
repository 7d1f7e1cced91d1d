// spmd-place-reshards: chooses how each op is split and makes every difference
// between what a value is and what its user wants an explicit spmd.reshard.
//
// Before: phase propagated; every ranked value has a sharding. After: every op
// is conflict-free by its own rule, data flow into regions, calls and returns
// arrives in the sharding of its target, no spmd.constraint, spmd.group or
// spmd.propagation_barrier is left. Emission of collectives is Partition's
// work.

#include "DataEdges.h"
#include "MemoryPrice.h"
#include "PlacementProblem.h"
#include "StrategyPrices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "partita/Building/PeakMemory.h"
#include "partita/Sharding/ReshardCosts.h"
#include "partita/Transforms/Placement/PlacementObserver.h"

namespace partita {
#define GEN_PASS_DEF_PLACERESHARDSPASS
#include "partita/Transforms/Placement/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr StringLiteral kShardings = spmd::SPMDDialect::getShardingsAttrName();

/// Marks a value's sharding on the op that defines it.
void annotate(Operation *op, ArrayRef<spmd::ShardingAttr> shardings) {
  SmallVector<Attribute> list(shardings.begin(), shardings.end());
  auto attribute = ArrayAttr::get(op->getContext(), list);
  // Most ops keep what propagation chose, and a new dictionary costs more.
  if (op->getAttr(kShardings) != attribute)
    op->setAttr(kShardings, attribute);
}

class Placer {
public:
  Placer(ModuleOp module, ReshardCosts &costs, const ValueFlow &flow,
         const PlacementProblem &problem)
      : module(module), symbols(module), costs(costs), flow(flow),
        problem(problem) {}

  /// Carries the choice out.
  void place();
  void cleanUp();

  int64_t numReshards = 0, numPartial = 0;

private:
  void setChosenShardings();
  void placeBlock(Block &block);
  void placeOp(Operation *op);
  void placeDataFlow(Operation *op);
  void apply(Operation *op, unsigned node);
  void remarkGathered(OpOperand &operand, const spmd::ShardingRule &rule,
                      spmd::ShardingAttr wanted);
  Value reshardTo(OpBuilder &builder, Location loc, Value value,
                  spmd::ShardingAttr sharding);
  Value getVersion(Value root, spmd::ShardingAttr sharding, Operation *user);
  void wantOperand(OpOperand &operand, spmd::ShardingAttr sharding);

  ModuleOp module;
  SymbolTable symbols;
  ReshardCosts &costs;
  const ValueFlow &flow;
  const PlacementProblem &problem;
  /// Reshards that carry out a user's constraint: the value really takes that
  /// layout, so they are not skipped over.
  DenseSet<Operation *> userReshards;
  /// Reshards of a value, all in its block, and the value of each.
  DenseMap<Value, SmallVector<Value, 2>> versions;
  DenseMap<Value, Value> rootOf;
  /// The constraint's result that a user reshard gives.
  DenseMap<Value, Value> constraintOf;
  /// What others have replaced. The plan knows values by their address, which
  /// an erased op would leave to the next.
  SmallVector<Operation *> replaced;
  /// Users come in program order, so that all versions stand before them.
  bool isInOrder = true;
};

} // namespace

/// Layouts of carries, of callees' signatures and of free results.
void Placer::setChosenShardings() {
  for (auto [value, node] : flow.chosenValues) {
    spmd::ShardingAttr sharding = problem.getResult(node, 0);
    if (isSameLayout(spmd::getSharding(value), sharding))
      continue;
    spmd::setSharding(value, sharding);
  }
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    for (OpResult result : call->getResults())
      if (callee && flow.chosenValues.contains(result))
        spmd::setResultSharding(callee, result.getResultNumber(),
                                spmd::getSharding(result));
  });
  for (const ValueFlow::FreeResult &result : flow.freeResults)
    spmd::setResultSharding(result.function, result.index,
                            problem.getResult(result.node, 0));
  for (auto function : module.getOps<func::FuncOp>()) {
    function->removeAttr(kProposedResults);
    function->removeAttr(kProposedArguments);
  }
}

Value Placer::reshardTo(OpBuilder &builder, Location loc, Value value,
                        spmd::ShardingAttr sharding) {
  spmd::ShardingAttr closed = sharding.getClosed();
  auto reshard =
      spmd::ReshardOp::create(builder, loc, value.getType(), value, closed);
  annotate(reshard, closed);
  ++numReshards;
  return reshard.getResult();
}

/// `root` in another layout, made from what is cheapest of the layouts that
/// exist before `user`, an op of the root's block.
Value Placer::getVersion(Value root, spmd::ShardingAttr sharding,
                         Operation *user) {
  auto type = cast<RankedTensorType>(root.getType());
  spmd::AxisListAttr manualAxes = costs.getManualAxes(user);
  auto getCost = [&](spmd::ShardingAttr from) {
    return costs.getReshardCost(getPlainSharding(from),
                                getPlainSharding(sharding), type, manualAxes);
  };
  Value source = root;
  double least = getCost(spmd::getSharding(root));
  for (Value version : versions[root]) {
    if (!isInOrder && !version.getDefiningOp()->isBeforeInBlock(user))
      continue;
    spmd::ShardingAttr held = spmd::getSharding(version);
    if (isSameLayout(held, sharding))
      return version;
    if (double cost = getCost(held); cost < least) {
      least = cost;
      source = version;
    }
  }
  Value constraint = constraintOf.lookup(root);
  spmd::ShardingAttr kept = problem.getKept(constraint ? constraint : root);
  if (kept && !isSameLayout(kept, sharding) && getCost(kept) < least &&
      !isSameLayout(kept, spmd::getSharding(root)))
    source = getVersion(root, kept, user);
  OpBuilder builder(user);
  Value version = reshardTo(builder, user->getLoc(), source, sharding);
  versions[root].push_back(version);
  rootOf[version] = root;
  return version;
}

void Placer::wantOperand(OpOperand &operand, spmd::ShardingAttr sharding) {
  spmd::ShardingAttr current = spmd::getSharding(operand.get());
  if (!sharding || !current || isSameLayout(current, sharding))
    return;
  Value root = rootOf.lookup(operand.get());
  if (!root)
    root = operand.get();
  // In the value's own block: out of loops that it does not change in.
  Operation *user =
      root.getParentBlock()->findAncestorOpInBlock(*operand.getOwner());
  if (isSameLayout(spmd::getSharding(root), sharding))
    operand.set(root);
  else
    operand.set(getVersion(root, sharding, user));
}

/// Why an op can't run with a factor sharded.
static StringRef describeWhole(spmd::FactorKind kind) {
  switch (kind) {
  case spmd::FactorKind::Sort:
    return "it is the sorted one";
  case spmd::FactorKind::Fft:
    return "it is transformed";
  case spmd::FactorKind::Halo:
    return "its windows can't be fetched by intervals";
  case spmd::FactorKind::Indexed:
    return "it is addressed by indices";
  default:
    return "the op needs it whole";
  }
}

/// Says what an operand's dimension that the op can't shard costs.
void Placer::remarkGathered(OpOperand &operand, const spmd::ShardingRule &rule,
                            spmd::ShardingAttr wanted) {
  Operation *op = operand.getOwner();
  spmd::ShardingAttr current = spmd::getSharding(operand.get());
  if (current == wanted)
    return;
  unsigned index = operand.getOperandNumber();
  auto type = cast<RankedTensorType>(operand.get().getType());
  double bytes =
      costs.getLocalBytes(wanted, type) - costs.getLocalBytes(current, type);
  for (auto [dim, factors] : llvm::enumerate(rule.operands[index].dims)) {
    bool isGathered = !current.getDims()[dim].getAxes().empty() &&
                      wanted.getDims()[dim].getAxes().empty();
    if (!isGathered || bytes <= 0 || factors.empty() ||
        rule.factors[factors.front()].shardable)
      continue;
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("GatheredDimension").category("placement"))
        << remark::reason(
               "{0}: dimension {1} of operand #{2} is gathered on each device, "
               "{3} bytes, because {4}",
               op->getName().getStringRef(), dim, index, int64_t(bytes),
               describeWhole(rule.factors[factors.front()].kind));
  }
}

void Placer::apply(Operation *op, unsigned node) {
  for (OpOperand &operand : op->getOpOperands())
    if (spmd::getSharding(operand.get())) {
      spmd::ShardingAttr wanted =
          problem.getOperand(node, operand.getOperandNumber());
      remarkGathered(operand, *flow.nodes[node]->rule, wanted);
      wantOperand(operand, wanted);
    }
  SmallVector<spmd::ShardingAttr> natural;
  for (OpResult result : op->getResults()) {
    if (!spmd::getSharding(result))
      return;
    natural.push_back(problem.getResult(node, result.getResultNumber()));
    numPartial += !natural.back().getUnreduced().empty();
  }
  if (!natural.empty())
    annotate(op, natural);
}

void Placer::placeDataFlow(Operation *op) {
  forEachEntryEdge(op, symbols,
                   [&](OpOperand &operand, const EdgeTarget &target) {
                     wantOperand(operand, target.sharding);
                   });
  for (Region &region : op->getRegions())
    for (Block &block : region)
      placeBlock(block);
}

void Placer::placeOp(Operation *op) {
  if (auto constraint = dyn_cast<spmd::ConstraintOp>(op)) {
    spmd::ShardingAttr current = spmd::getSharding(constraint.getInput());
    spmd::ShardingAttr wanted = spmd::getSharding(constraint.getResult());
    Value value = constraint.getInput();
    if (current && wanted && !isSameLayout(current, wanted)) {
      OpBuilder builder(op);
      value = reshardTo(builder, op->getLoc(), value, wanted);
      constraintOf[value] = constraint.getResult();
      if (!flow.chosenValues.contains(constraint.getResult()))
        userReshards.insert(value.getDefiningOp());
    }
    constraint.getResult().replaceAllUsesWith(value);
    replaced.push_back(op);
    return;
  }
  if (auto barrier = dyn_cast<spmd::PropagationBarrierOp>(op)) {
    wantOperand(op->getOpOperand(0), spmd::getSharding(barrier.getResult()));
    barrier.getResult().replaceAllUsesWith(barrier.getInput());
    replaced.push_back(op);
    return;
  }
  if (isa<spmd::GroupOp>(op)) {
    replaced.push_back(op);
    return;
  }
  if (isa<spmd::ReshardOp>(op)) {
    userReshards.insert(op);
    return;
  }
  if (isDataFlow(op))
    return placeDataFlow(op);
  auto it = flow.nodeOfOp.find(op);
  if (it != flow.nodeOfOp.end())
    return apply(op, it->second);
  // Results that were chosen one by one are operands.
  for (OpResult result : op->getResults())
    if (flow.chosenValues.contains(result))
      wantOperand(op->getOpOperand(result.getResultNumber()),
                  spmd::getSharding(result));
}

void Placer::placeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    placeOp(&op);
  forEachExitEdge(block.getTerminator(),
                  [&](OpOperand &operand, const EdgeTarget &target) {
                    wantOperand(operand, target.sharding);
                  });
}

void Placer::place() {
  setChosenShardings();
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      placeBlock(block);
  isInOrder = false;
  for (auto [operand, sharding] : flow.wholeUses)
    wantOperand(*operand, sharding);
}

void Placer::cleanUp() {
  for (Operation *op : replaced)
    op->erase();
  module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
      [&](spmd::ReshardOp reshard) {
        if (reshard.getResult().use_empty()) {
          reshard.erase();
          --numReshards;
          return;
        }
        // A value that passes through a layout nobody reads goes straight on.
        while (auto inner =
                   reshard.getInput().getDefiningOp<spmd::ReshardOp>()) {
          if (!inner.getResult().hasOneUse() || userReshards.contains(inner))
            break;
          reshard.getInputMutable().assign(inner.getInput());
        }
        spmd::ShardingAttr from = spmd::getSharding(reshard.getInput());
        if (from && isSameLayout(from, reshard.getSharding())) {
          reshard.getResult().replaceAllUsesWith(reshard.getInput());
          reshard.erase();
          --numReshards;
        }
      });
  module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
      [&](spmd::ReshardOp reshard) {
        if (reshard.getResult().use_empty()) {
          reshard.erase();
          --numReshards;
        }
      });
}

namespace {

/// A plan that has been carried out.
struct PlacedPlan {
  OwningOpRef<ModuleOp> module;
  int64_t peakBytes = 0, numReshards = 0, numPartial = 0;
  /// What the solver made least.
  double cost = 0;
  /// Of the ops that the observer wants to know about.
  std::vector<PricedOp> strategies;
};

struct PlaceReshards : impl::PlaceReshardsPassBase<PlaceReshards> {
  using PlaceReshardsPassBase::PlaceReshardsPassBase;
  PlaceReshards(const PlaceReshardsPassOptions &options,
                std::shared_ptr<PlacementObserver> observer)
      : PlaceReshardsPassBase(options), observer(std::move(observer)) {}

  /// True if `value` is `free`; an error unless it is that or `kept`.
  FailureOr<bool> readChoice(StringRef name, StringRef value, StringRef free,
                             StringRef kept) {
    if (value == free || value == kept)
      return value == free;
    InFlightDiagnostic diagnostic = getOperation().emitError()
                                    << "unknown " << name << " '" << value
                                    << "'";
    diagnostic.attachNote() << "fix: use " << free << " or " << kept;
    return diagnostic;
  }

  FailureOr<PlacementFreedom> readFreedom() {
    bool isUneven = results == "uneven";
    FailureOr<bool> ofResults =
        readChoice("results", isUneven ? "free" : StringRef(results), "free",
                   "propagated");
    FailureOr<bool> ofArguments =
        readChoice("arguments", arguments, "free", "propagated");
    FailureOr<bool> ofConstraints =
        readChoice("constraints", constraints, "hints", "kept");
    if (failed(ofResults) || failed(ofArguments) || failed(ofConstraints))
      return failure();
    return PlacementFreedom{*ofResults, *ofArguments, isUneven, *ofConstraints};
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<ReshardCosts> costs =
        ReshardCosts::get(module, machine, objective);
    FailureOr<PlacementFreedom> freedom = readFreedom();
    if (failed(costs) || failed(freedom))
      return signalPassFailure();
    alignManualEdges(module);
    PlacedPlan plan;
    auto make = [&](ModuleOp into, double price) {
      return place(into, *costs, *freedom, price, plan);
    };
    if (failed(memoryLimit > 0 ? placeWithinLimit(make, plan)
                               : make(module, 0)))
      return signalPassFailure();
    numReshards += plan.numReshards;
    numPartial += plan.numPartial;
    if (observer) {
      for (const PricedOp &priced : plan.strategies)
        observer->recordStrategies(priced.op, priced.strategies);
      observer->recordPlacement(module);
    }
    // The peak takes a walk of the module: only where somebody asks.
    remark::analysis(
        module.getLoc(),
        remark::RemarkOpts::name("PeakMemory").category("placement"))
        << remark::detail::LazyTextBuild{
               "PeakBytes",
               [&] { return std::to_string(measurePeak(module, *costs)); }};
  }

  /// Bytes of one device by liveness in program order.
  int64_t measurePeak(ModuleOp module, const ReshardCosts &costs) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return 0;
    return getPeakBytes(main, [&](Value value) -> int64_t {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type ? costs.getLocalBytes(spmd::getSharding(value), type) : 0;
    });
  }

  /// Places `module` at a price of memory and describes the plan in `plan`.
  LogicalResult place(ModuleOp module, ReshardCosts &costs,
                      PlacementFreedom freedom, double price,
                      PlacedPlan &plan) {
    FailureOr<std::unique_ptr<ValueFlow>> flow =
        ValueFlow::collect(module, costs, freedom);
    if (failed(flow))
      return failure();
    PlacementProblem problem(costs, **flow, price, memoryLimit > 0);
    problem.solve();
    if (observer)
      plan.strategies = priceStrategies(costs, **flow, problem, *observer);
    Placer placer(module, costs, **flow, problem);
    placer.place();
    placer.cleanUp();
    plan.numReshards = placer.numReshards;
    plan.numPartial = placer.numPartial;
    plan.cost = problem.getCost();
    plan.peakBytes = memoryLimit > 0 ? measurePeak(module, costs) : 0;
    return success();
  }

  /// Places clones until one fits into the limit at the least price; that one
  /// becomes the module.
  LogicalResult
  placeWithinLimit(llvm::function_ref<LogicalResult(ModuleOp, double)> make,
                   PlacedPlan &plan) {
    ModuleOp module = getOperation();
    PlacedPlan best;
    auto tryPrice = [&](double price) -> FailureOr<int64_t> {
      OwningOpRef<ModuleOp> clone(module.clone());
      if (failed(make(*clone, price)))
        return failure();
      if (plan.peakBytes <= memoryLimit) {
        best = std::move(plan);
        best.module = std::move(clone);
      }
      return plan.peakBytes;
    };
    FailureOr<int64_t> freePeak = tryPrice(0);
    if (failed(freePeak))
      return failure();
    if (!best.module) {
      // At first, all memory together costs a thousandth of the rest.
      double firstPrice = 1e-3 * plan.cost / double(*freePeak);
      FailureOr<MemorySearch> search =
          findMemoryPrice(memoryLimit, firstPrice, tryPrice);
      if (failed(search))
        return failure();
      if (!search->fits)
        return reportMemory(std::min(search->leastPeak, *freePeak));
    }
    module.getBodyRegion().takeBody(best.module->getBodyRegion());
    plan = std::move(best);
    return success();
  }

  LogicalResult reportMemory(int64_t least) {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    InFlightDiagnostic diagnostic =
        emitError(main ? main->getLoc() : getOperation().getLoc())
        << "no plan was found that needs at most " << int64_t(memoryLimit)
        << " bytes per device; the smallest needs " << least;
    diagnostic.attachNote()
        << "fix: raise memory-limit, shard more of the arguments, or allow "
           "arguments=free or constraints=hints";
    return diagnostic;
  }

  std::shared_ptr<PlacementObserver> observer;
};

} // namespace

std::unique_ptr<Pass>
createPlaceReshardsPass(const PlaceReshardsPassOptions &options,
                        std::shared_ptr<PlacementObserver> observer) {
  return std::make_unique<PlaceReshards>(options, std::move(observer));
}

} // namespace partita
