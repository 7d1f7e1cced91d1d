// spmd-place-reshards: chooses how each op is split and makes every difference
// between what a value is and what its user wants an explicit spmd.reshard.
//
// Before: phase propagated; every ranked value has a sharding. After: every op
// is conflict-free by its own rule, data flow into regions, calls and returns
// arrives in the sharding of its target, no spmd.constraint, spmd.group or
// spmd.propagation_barrier is left. Emission of collectives is Partition's
// work.

#include "DataEdges.h"
#include "PlacementProblem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "partita/Sharding/ReshardCosts.h"
#include "partita/Transforms/Placement/Passes.h"

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
  op->setAttr(kShardings, ArrayAttr::get(op->getContext(), list));
}

class Placer {
public:
  Placer(ModuleOp module, ReshardCosts &costs)
      : module(module), symbols(module), costs(costs), problem(costs) {}

  /// Adds the ops of the block to the problem; changes nothing.
  LogicalResult planBlock(Block &block);
  /// Chooses a strategy for every op that was planned.
  void solve() { problem.solve(); }
  /// Carries the choice out.
  void placeBlock(Block &block);
  void cleanUp();

  int64_t numReshards = 0, numPartial = 0;

private:
  void placeOp(Operation *op);
  void placeDataFlow(Operation *op);
  void apply(Operation *op, const OpStrategy &strategy);
  void remarkGathered(OpOperand &operand, spmd::ShardingAttr wanted);
  Value reshardTo(OpBuilder &builder, Location loc, Value value,
                  spmd::ShardingAttr sharding);
  void wantOperand(OpOperand &operand, spmd::ShardingAttr sharding);

  ModuleOp module;
  SymbolTable symbols;
  ReshardCosts &costs;
  PlacementProblem problem;
  /// Reshards that carry out a user's constraint: the value really takes that
  /// layout, so they are not skipped over.
  DenseSet<Operation *> userReshards;
};

} // namespace

Value Placer::reshardTo(OpBuilder &builder, Location loc, Value value,
                        spmd::ShardingAttr sharding) {
  spmd::ShardingAttr closed = sharding.getClosed();
  auto reshard =
      spmd::ReshardOp::create(builder, loc, value.getType(), value, closed);
  annotate(reshard, closed);
  ++numReshards;
  return reshard.getResult();
}

void Placer::wantOperand(OpOperand &operand, spmd::ShardingAttr sharding) {
  spmd::ShardingAttr current = spmd::getSharding(operand.get());
  if (!sharding || !current || isSameLayout(current, sharding))
    return;
  // A reshard of the same value to the same layout in this block serves again.
  Operation *user = operand.getOwner();
  for (Operation *other : operand.get().getUsers())
    if (auto reshard = dyn_cast<spmd::ReshardOp>(other);
        reshard && other != user && other->getBlock() == user->getBlock() &&
        other->isBeforeInBlock(user) &&
        isSameLayout(reshard.getSharding(), sharding)) {
      operand.set(reshard.getResult());
      return;
    }
  OpBuilder builder(user);
  operand.set(reshardTo(builder, user->getLoc(), operand.get(), sharding));
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
void Placer::remarkGathered(OpOperand &operand, spmd::ShardingAttr wanted) {
  Operation *op = operand.getOwner();
  spmd::ShardingAttr current = spmd::getSharding(operand.get());
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!current || !wanted || !shardable || !op->getContext()->getRemarkEngine())
    return;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule))
    return;
  unsigned index = operand.getOperandNumber();
  auto type = cast<RankedTensorType>(operand.get().getType());
  double bytes =
      costs.getLocalBytes(wanted, type) - costs.getLocalBytes(current, type);
  for (auto [dim, factors] : llvm::enumerate(rule->operands[index].dims)) {
    bool isGathered = !current.getDims()[dim].getAxes().empty() &&
                      wanted.getDims()[dim].getAxes().empty();
    if (!isGathered || bytes <= 0 || factors.empty() ||
        rule->factors[factors.front()].shardable)
      continue;
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("GatheredDimension").category("placement"))
        << remark::reason(
               "{0}: dimension {1} of operand #{2} is gathered on each device, "
               "{3} bytes, because {4}",
               op->getName().getStringRef(), dim, index, int64_t(bytes),
               describeWhole(rule->factors[factors.front()].kind));
  }
}

void Placer::apply(Operation *op, const OpStrategy &strategy) {
  for (OpOperand &operand : op->getOpOperands()) {
    spmd::ShardingAttr wanted = strategy.operands[operand.getOperandNumber()];
    remarkGathered(operand, wanted);
    wantOperand(operand, wanted);
  }
  if (op->getNumResults() == 0)
    return;
  SmallVector<spmd::ShardingAttr> proposed, natural;
  for (auto [result, sharding] :
       llvm::zip_equal(op->getResults(), strategy.results)) {
    proposed.push_back(spmd::getSharding(result));
    natural.push_back(sharding ? sharding : proposed.back());
    numPartial += sharding && !sharding.getUnreduced().empty();
  }
  if (llvm::all_of(natural, [](auto sharding) { return bool(sharding); }))
    annotate(op, natural);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto [result, from, to] :
       llvm::zip_equal(op->getResults(), natural, proposed)) {
    if (!from || !to || isSameLayout(from, to) || result.use_empty())
      continue;
    Value moved = reshardTo(builder, op->getLoc(), result, to);
    result.replaceAllUsesExcept(moved, moved.getDefiningOp());
  }
}

LogicalResult Placer::planBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isDataFlow(&op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(planBlock(nested)))
            return failure();
      continue;
    }
    if (isa<spmd::ConstraintOp, spmd::PropagationBarrierOp, spmd::GroupOp,
            spmd::ReshardOp>(op))
      continue;
    auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
    if (!shardable) {
      InFlightDiagnostic diagnostic =
          op.emitOpError() << "has no op model, so it can't be partitioned";
      diagnostic.attachNote() << "fix: add a model to lib/OpModels, or replace "
                                 "the op in the program";
      return diagnostic;
    }
    FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
    if (failed(rule))
      return failure();
    problem.add(&op, *rule);
  }
  return success();
}

void Placer::placeDataFlow(Operation *op) {
  forEachEntryEdge(op, symbols,
                   [&](OpOperand &operand, spmd::ShardingAttr sharding) {
                     wantOperand(operand, sharding);
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
      userReshards.insert(value.getDefiningOp());
    }
    constraint.getResult().replaceAllUsesWith(value);
    op->erase();
    return;
  }
  if (auto barrier = dyn_cast<spmd::PropagationBarrierOp>(op)) {
    wantOperand(op->getOpOperand(0), spmd::getSharding(barrier.getResult()));
    barrier.getResult().replaceAllUsesWith(barrier.getInput());
    op->erase();
    return;
  }
  if (isa<spmd::GroupOp>(op)) {
    op->erase();
    return;
  }
  if (isa<spmd::ReshardOp>(op)) {
    userReshards.insert(op);
    return;
  }
  if (isDataFlow(op))
    return placeDataFlow(op);
  if (const OpStrategy *strategy = problem.getStrategy(op))
    apply(op, *strategy);
}

void Placer::placeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    placeOp(&op);
  forEachExitEdge(block.getTerminator(),
                  [&](OpOperand &operand, spmd::ShardingAttr sharding) {
                    wantOperand(operand, sharding);
                  });
}

void Placer::cleanUp() {
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

struct PlaceReshards : impl::PlaceReshardsPassBase<PlaceReshards> {
  using PlaceReshardsPassBase::PlaceReshardsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<ReshardCosts> costs =
        ReshardCosts::get(module, machine, objective);
    if (failed(costs))
      return signalPassFailure();
    alignManualEdges(module);
    Placer placer(module, *costs);
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        if (failed(placer.planBlock(block)))
          return signalPassFailure();
    placer.solve();
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        placer.placeBlock(block);
    placer.cleanUp();
    numReshards += placer.numReshards;
    numPartial += placer.numPartial;
  }
};

} // namespace
} // namespace partita
