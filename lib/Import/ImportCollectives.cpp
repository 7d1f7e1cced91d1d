// spmd-import-collectives: the user's collectives name mesh axes. Before: one
// call site per private function; collectives over replica groups, in manual
// regions only. After: no StableHLO collective and no partition_id is left.
#include "CollectiveImport.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "partita/Import/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_IMPORTCOLLECTIVESPASS
#include "partita/Import/Passes.h.inc"

static bool isRaggedCall(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == "ragged_all_to_all";
}

static bool isCollective(Operation *op) {
  return op->hasTrait<stablehlo::CollectiveOp>() || isRaggedCall(op) ||
         isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op);
}

/// The op that an async_start holds takes its place; scheduling decides anew
/// what runs asynchronously.
static LogicalResult inlineAsync(stablehlo::AsyncStartOp start) {
  Block &body = start.getBody().front();
  SmallVector<stablehlo::AsyncDoneOp> ends;
  for (Operation *user : start->getResult(0).getUsers()) {
    auto done = dyn_cast<stablehlo::AsyncDoneOp>(user);
    if (!done)
      return spmd::failWithFix(user->emitOpError()
                                   << "uses an operation under way",
                               "wait for it first, with stablehlo.async_done");
    ends.push_back(done);
  }
  OpBuilder builder(start);
  IRMapping mapping;
  mapping.map(body.getArguments(), start.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  Value result = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  for (stablehlo::AsyncDoneOp done : ends) {
    done.replaceAllUsesWith(result);
    done.erase();
  }
  start.erase();
  return success();
}

static LogicalResult importOne(Operation *op, ManualContexts &contexts) {
  // A device number that nothing reads names no device.
  if (isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op) &&
      op->use_empty()) {
    op->erase();
    return success();
  }
  FailureOr<ManualContext> context = contexts.lookup(op);
  if (failed(context))
    return failure();
  if (!context->isManual())
    return spmd::failWithFix(
        op->emitOpError() << "is outside of any manual region: a whole-array "
                             "program does not name devices",
        "use it inside jax.shard_map, or describe the layout by shardings");
  if (!context->mesh) {
    InFlightDiagnostic error = op->emitOpError()
                               << "is in a manual region without a mesh";
    error.attachNote(context->region->getLoc()) << "this one";
    return spmd::failWithFix(std::move(error),
                             "give the region an operand or result");
  }
  // Groups and device numbers are compared device by device.
  constexpr int64_t maxDevices = int64_t(1) << 24;
  if (context->mesh.getNumDevices() > maxDevices)
    return spmd::failWithFix(op->emitOpError()
                                 << "runs on mesh " << context->meshName
                                 << " of " << context->mesh.getNumDevices()
                                 << " devices; at most " << maxDevices
                                 << " can be told apart",
                             "use a smaller mesh");
  if (auto id = dyn_cast<stablehlo::PartitionIdOp>(op))
    return importPartitionId(id, *context);
  if (isa<stablehlo::ReplicaIdOp>(op)) {
    // spmd-check-meshes refuses several replicas.
    OpBuilder builder(op);
    Type type = op->getResult(0).getType();
    Value zero = stablehlo::ConstantOp::create(
        builder, op->getLoc(),
        stablehlo::getZeroElements(cast<RankedTensorType>(type)));
    op->getResult(0).replaceAllUsesWith(zero);
    op->erase();
    return success();
  }
  return CollectiveImporter(op, *context).run();
}

/// JAX computes an index within a region that is manual along some axes in an
/// inner region without operands, manual along the rest. Once its body only
/// reads indices of the outer axes, the ops stand for themselves.
static void inlineIndexRegion(spmd::ManualOp op) {
  bool isNested = op->getParentOfType<spmd::ManualOp>() != nullptr;
  bool namesAxes = llvm::any_of(op.getOutShardings(), [](Attribute entry) {
    auto sharding = cast<spmd::ShardingAttr>(entry);
    return sharding.namesAxes();
  });
  Block &body = op.getBody().front();
  auto isOwn = [&](spmd::AxisRefAttr axis) {
    return llvm::any_of(op.getManualAxes().getAxes(), [&](auto manual) {
      return manual.getName() == axis.getName();
    });
  };
  bool isPlain = llvm::all_of(body.without_terminator(), [&](Operation &inner) {
    if (auto index = dyn_cast<spmd::AxisIndexOp>(&inner))
      return llvm::none_of(index.getAxes().getAxes(), isOwn);
    return isa<stablehlo::ConstantOp, stablehlo::ConvertOp>(&inner);
  });
  if (!isNested || !op.getInputs().empty() || namesAxes || !isPlain)
    return;
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         terminator->getIterator());
  op->replaceAllUsesWith(results);
  op.erase();
}

namespace {
struct ImportCollectives : impl::ImportCollectivesPassBase<ImportCollectives> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<stablehlo::AsyncStartOp> starts;
    module.walk([&](stablehlo::AsyncStartOp op) { starts.push_back(op); });
    for (stablehlo::AsyncStartOp start : starts)
      if (failed(inlineAsync(start)))
        return signalPassFailure();
    SmallVector<Operation *> collectives;
    module.walk([&](Operation *op) {
      if (isCollective(op))
        collectives.push_back(op);
    });
    ManualContexts contexts(module);
    for (Operation *op : collectives)
      if (failed(importOne(op, contexts)))
        return signalPassFailure();
    SmallVector<spmd::ManualOp> regions;
    module.walk([&](spmd::ManualOp op) { regions.push_back(op); });
    for (spmd::ManualOp op : regions)
      inlineIndexRegion(op);
  }
};
} // namespace

} // namespace partita
