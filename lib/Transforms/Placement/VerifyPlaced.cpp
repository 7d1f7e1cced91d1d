// spmd-verify-placed: every op's operands and results carry exactly the
// shardings that one assignment of axes to its factors gives them, and values
// flow between regions, calls and functions without a change of layout.

#include "partita/Transforms/Placement/VerifyPlaced.h"
#include "DataEdges.h"
#include "PointerMap.h"
#include "dialects/SPMD/RuleCache.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Sharding/FactorSharding.h"
#include "partita/Transforms/Placement/Passes.h"

namespace partita {
#define GEN_PASS_DEF_VERIFYPLACEDPASS
#include "partita/Transforms/Placement/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

class PlacedVerifier {
public:
  explicit PlacedVerifier(ModuleOp module) : symbols(module) {
    for (auto mesh : module.getOps<spmd::MeshOp>())
      meshes[mesh.getSymNameAttr()] = mesh.getMesh();
  }

  LogicalResult verifyFunction(func::FuncOp function);

private:
  LogicalResult verifyBlock(Block &block);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyByRule(Operation *op, const spmd::ShardingRule &rule);
  LogicalResult verifyCallResults(func::CallOp call);

  SymbolTable symbols;
  llvm::DenseMap<StringAttr, spmd::MeshAttr> meshes;
  spmd::RuleCache rules;
  /// Rules with shardings of results and operands that agree.
  PointerMap<bool> agreed;
};

} // namespace

/// Ends every refusal in the same way.
static LogicalResult failUnplaced(InFlightDiagnostic &diagnostic) {
  diagnostic.attachNote()
      << "fix: run spmd-place-reshards on a module at phase propagated";
  return diagnostic;
}

static LogicalResult checkHasSharding(Operation *op, Type type,
                                      spmd::ShardingAttr sharding,
                                      StringRef what, unsigned index) {
  if (sharding || !isa<RankedTensorType>(type))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << what << " #" << index
                                                    << " has no sharding";
  return failUnplaced(diagnostic);
}

/// An edge between two layouts.
static LogicalResult checkEdge(OpOperand &operand, const EdgeTarget &target) {
  spmd::ShardingAttr wanted = target.sharding;
  spmd::ShardingAttr sharding = spmd::getSharding(operand.get());
  if (!wanted || !sharding || isSameLayout(sharding, wanted))
    return success();
  InFlightDiagnostic diagnostic =
      operand.getOwner()->emitOpError()
      << "operand #" << operand.getOperandNumber() << " is laid out as "
      << sharding << " but arrives where " << wanted << " is expected";
  return failUnplaced(diagnostic);
}

/// Reports the first tensor of `op` that disagrees with the others.
LogicalResult PlacedVerifier::verifyByRule(Operation *op,
                                           const spmd::ShardingRule &rule) {
  struct Tensor {
    unsigned index;
    bool isResult;
    spmd::ShardingAttr sharding;
  };
  SmallVector<Tensor> tensors;
  auto collect = [&](ValueRange values, bool isResult) {
    for (auto [index, value] : llvm::enumerate(values))
      if (spmd::ShardingAttr sharding = spmd::getSharding(value))
        tensors.push_back({unsigned(index), isResult, sharding});
  };
  collect(op->getResults(), true);
  collect(op->getOperands(), false);
  FlatSymbolRefAttr meshName;
  for (const Tensor &tensor : tensors)
    if (!meshName || tensor.sharding.hasShardedDim())
      meshName = tensor.sharding.getMesh();
  spmd::MeshAttr mesh = meshName ? meshes.lookup(meshName.getAttr()) : nullptr;
  if (!mesh)
    return success();
  FactorSharding factors(rule, mesh);
  for (auto [index, isResult, sharding] : tensors)
    isResult ? factors.addResult(index, sharding)
             : factors.addOperand(index, sharding);
  factors.legalize();
  for (auto [index, isResult, sharding] : tensors) {
    if (factors.hasSharding(index, isResult, meshName, sharding))
      continue;
    spmd::ShardingAttr wanted =
        isResult ? factors.getResultSharding(index, meshName)
                 : factors.getOperandSharding(index, meshName);
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << (isResult ? "result" : "operand") << " #"
                                    << index << " is laid out as " << sharding
                                    << " but the op's rule " << rule.str()
                                    << " asks for " << wanted;
    return failUnplaced(diagnostic);
  }
  return success();
}

LogicalResult PlacedVerifier::verifyCallResults(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return success();
  for (OpResult result : call->getResults()) {
    spmd::ShardingAttr sharding = spmd::getSharding(result);
    spmd::ShardingAttr returned =
        spmd::getResultSharding(callee, result.getResultNumber());
    if (!sharding || !returned || isSameLayout(sharding, returned))
      continue;
    InFlightDiagnostic diagnostic =
        call.emitOpError() << "result #" << result.getResultNumber()
                           << " is laid out as " << sharding << " but @"
                           << call.getCallee() << " returns " << returned;
    return failUnplaced(diagnostic);
  }
  return success();
}

/// All that agreement depends on.
static PointerList getKey(Operation *op, const spmd::ShardingRule *rule) {
  PointerList key{rule};
  for (ValueRange values :
       {ValueRange(op->getResults()), ValueRange(op->getOperands())})
    for (Value value : values)
      key.push_back(spmd::getSharding(value).getAsOpaquePointer());
  return key;
}

LogicalResult PlacedVerifier::verifyOp(Operation *op) {
  if (isa<spmd::ConstraintOp, spmd::GroupOp, spmd::PropagationBarrierOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError("is left after placement");
    return failUnplaced(diagnostic);
  }
  for (OpResult result : op->getResults())
    if (failed(checkHasSharding(op, result.getType(), spmd::getSharding(result),
                                "result", result.getResultNumber())))
      return failure();
  if (isDataFlow(op)) {
    LogicalResult status = success();
    forEachEntryEdge(op, symbols,
                     [&](OpOperand &operand, const EdgeTarget &wanted) {
                       if (succeeded(status))
                         status = checkEdge(operand, wanted);
                     });
    if (auto call = dyn_cast<func::CallOp>(op); call && succeeded(status))
      status = verifyCallResults(call);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(status) || failed(verifyBlock(block)))
          return failure();
    return status;
  }
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable)
    return success(); // a reshard, or Partition's to refuse
  const spmd::ShardingRule *rule = rules.get(shardable);
  if (!rule)
    return failure();
  if (!forwardsEach(op, *rule)) {
    bool &isAgreed = agreed[getKey(op, rule)];
    isAgreed = isAgreed || succeeded(verifyByRule(op, *rule));
    return success(isAgreed);
  }
  for (auto [operand, result] :
       llvm::zip_equal(op->getOpOperands(), op->getResults()))
    if (failed(checkEdge(operand, {spmd::getSharding(result), result})))
      return failure();
  return success();
}

LogicalResult PlacedVerifier::verifyBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(verifyOp(&op)))
      return failure();
  LogicalResult status = success();
  forEachExitEdge(block.getTerminator(),
                  [&](OpOperand &operand, const EdgeTarget &wanted) {
                    if (succeeded(status))
                      status = checkEdge(operand, wanted);
                  });
  return status;
}

LogicalResult PlacedVerifier::verifyFunction(func::FuncOp function) {
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(checkHasSharding(function, type,
                                spmd::getResultSharding(function, index),
                                "result", index)))
      return failure();
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments())
    if (failed(checkHasSharding(function, argument.getType(),
                                spmd::getSharding(argument), "argument",
                                argument.getArgNumber())))
      return failure();
  for (Block &block : function.getBody())
    if (failed(verifyBlock(block)))
      return failure();
  return success();
}

LogicalResult verifyPlaced(ModuleOp module) {
  PlacedVerifier verifier(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifier.verifyFunction(function)))
      return failure();
  return success();
}

namespace {

struct VerifyPlaced : impl::VerifyPlacedPassBase<VerifyPlaced> {
  using VerifyPlacedPassBase::VerifyPlacedPassBase;

  void runOnOperation() override {
    if (failed(verifyPlaced(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
