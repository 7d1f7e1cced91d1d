// Size of a program, and the program without its shardings.

#include "Reference.h"
#include "dialects/SPMD/ShardingRule.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {

static double countFlops(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable)
    return 0;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule))
    return 0;
  double flops = rule->flopsPerPoint;
  for (const spmd::Factor &factor : rule->factors)
    flops *= double(factor.size);
  return flops;
}

static double countFlops(Region &region, const SymbolTable &symbols) {
  double flops = 0;
  for (Operation &op : region.getOps()) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        flops += countFlops(callee.getBody(), symbols);
      continue;
    }
    double trips = 1, inner = 0;
    if (isa<LoopLikeOpInterface>(op))
      trips = double(getStaticTripCount(&op).value_or(1));
    if (auto manual = dyn_cast<spmd::ManualOp>(op))
      if (auto mesh = spmd::lookupMesh(&op, manual.getMeshName()))
        trips = double(mesh.getNumDevices());
    bool isControlFlow = isa<RegionBranchOpInterface>(op);
    for (Region &nested : op.getRegions())
      if (isControlFlow)
        inner += countFlops(nested, symbols);
    flops += trips * inner + (isControlFlow ? 0 : countFlops(&op));
  }
  return flops;
}

double estimateFlops(Program &program) {
  // An op without a rule says so elsewhere.
  ScopedDiagnosticHandler quiet(program.imported->getContext(),
                                [](Diagnostic &) { return success(); });
  SymbolTable symbols(*program.imported);
  return countFlops(program.getImportedMain().getBody(), symbols);
}

/// True if the op means something only on several devices.
static bool isPerDevice(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return isa<spmd::ManualOp, spmd::CollectiveOpInterface, spmd::AxisIndexOp>(
             op) ||
         name == "partition_id" || name == "replica_id" ||
         op->hasAttr("replica_groups") || op->hasAttr("source_target_pairs");
}

static void dropSharding(Operation *op) {
  op->removeAttr(spmd::SPMDDialect::getShardingsAttrName());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    auto name = StringAttr::get(op->getContext(),
                                spmd::SPMDDialect::getShardingAttrName());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, name);
  }
  if (isa<spmd::ConstraintOp, spmd::ReshardOp, spmd::PropagationBarrierOp>(op))
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  else if (!isa<spmd::GroupOp, spmd::MeshOp>(op))
    return;
  op->erase();
}

std::optional<Program> makeUnsharded(Program &program,
                                     const PipelineOptions &options) {
  WalkResult found = program.imported->walk([](Operation *op) {
    return isPerDevice(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return std::nullopt;
  OwningOpRef<ModuleOp> module = program.imported->clone();
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) { ops.push_back(op); });
  llvm::for_each(ops, dropSharding);
  Builder builder(module->getContext());
  for (StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"})
    (*module)->setAttr(name, builder.getI32IntegerAttr(1));
  FailureOr<Program> unsharded = compileProgram(std::move(module), options);
  if (failed(unsharded))
    return std::nullopt;
  return std::move(*unsharded);
}

} // namespace partita
