// Calls, loops and branches as edges between values.
#include "DataFlow.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace partita::propagation {

//===----------------------------------------------------------------------===//
// CallTree
//===----------------------------------------------------------------------===//

FailureOr<CallTree> CallTree::build(ModuleOp module) {
  CallTree tree;
  SymbolTable symbols(module);
  WalkResult walk = module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return WalkResult::advance();
    auto [it, isNew] = tree.callOf.try_emplace(callee, call);
    if (!isNew) {
      InFlightDiagnostic error = call.emitOpError()
                                 << "calls @" << callee.getName()
                                 << ", which is called elsewhere too";
      error.attachNote(it->second.getLoc()) << "the other call";
      error.attachNote() << "fix: import the module first, which makes one "
                            "function per call";
      return WalkResult::interrupt();
    }
    tree.calleeOf[call] = callee;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted() || failed(tree.checkRecursion()))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (tree.isRoot(function) && !function.isExternal())
      tree.roots.push_back(function);
  return tree;
}

LogicalResult CallTree::checkRecursion() const {
  // Every function has one caller, so a cycle is a walk up that returns.
  llvm::DenseSet<Operation *> reachesRoot;
  for (const auto &[start, call] : callOf) {
    SmallVector<Operation *> path;
    llvm::DenseSet<Operation *> onPath;
    Operation *function = start;
    while (function && !reachesRoot.contains(function)) {
      if (!onPath.insert(function).second) {
        InFlightDiagnostic error = function->emitOpError()
                                   << "calls itself, directly or not";
        error.attachNote() << "fix: write the recursion as a loop";
        return failure();
      }
      path.push_back(function);
      auto caller = callOf.lookup(function);
      function = caller ? caller->getParentOfType<func::FuncOp>().getOperation()
                        : nullptr;
    }
    reachesRoot.insert(path.begin(), path.end());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool isRegionFlow(Operation *op) {
  return op->getNumRegions() != 0 &&
         isa<LoopLikeOpInterface, RegionBranchOpInterface, spmd::ManualOp>(op);
}

bool isForwarding(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable || op->getNumOperands() != op->getNumResults() ||
      op->getNumResults() == 0)
    return false;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  return succeeded(rule) &&
         rule->propagation == spmd::PropagationClass::DataFlow;
}

Operation *getLoopTerminator(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return nullptr;
  std::optional<MutableArrayRef<OpOperand>> yielded =
      loop.getYieldedValuesMutable();
  return yielded && !yielded->empty() ? yielded->front().getOwner() : nullptr;
}

Value getShardingOwner(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  Operation *op = argument.getOwner()->getParentOp();
  if (!op || !getLoopTerminator(op))
    return value;
  // Arguments before the carried ones are induction variables.
  unsigned lead = argument.getOwner()->getNumArguments() - op->getNumResults();
  if (argument.getOwner()->getNumArguments() < op->getNumResults() ||
      argument.getArgNumber() < lead)
    return value;
  return op->getResult(argument.getArgNumber() - lead);
}

bool isFlowTarget(Value value, const CallTree &calls) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *op = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast_or_null<func::FuncOp>(op))
      return !calls.isRoot(function);
    return isa_and_nonnull<spmd::ManualOp>(op) ||
           getShardingOwner(value) != value;
  }
  Operation *op = value.getDefiningOp();
  if (auto call = dyn_cast<func::CallOp>(op))
    return static_cast<bool>(calls.getCallee(call));
  return isRegionFlow(op) || isForwarding(op);
}

spmd::ShardingAttr getCallResultSharding(func::CallOp call, unsigned index,
                                         const CallTree &calls) {
  if (call->hasAttr(spmd::SPMDDialect::getShardingsAttrName()))
    return spmd::getSharding(call.getResult(index));
  func::FuncOp callee = calls.getCallee(call);
  return callee ? spmd::getResultSharding(callee, index) : spmd::ShardingAttr();
}

} // namespace partita::propagation
