// spmd-import-effects: says which devices have the effects of an op.
//
// Before: collectives name axes, one call site per function. After: an op with
// effects of its own says by an attribute (dialects/SPMD/Effects.h) that one
// device runs it, or each; the sharding that named the device is gone. An op of
// which neither is known stays as it is: whether it may run is its model's
// business.

#include "ManualContext.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/Effects.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_IMPORTEFFECTSPASS
#include "partita/Import/Passes.h.inc"

/// The device on which all shardings of `op` put it; none: they are layouts.
static std::optional<int64_t> getDevice(Operation *op) {
  auto shardings =
      op->getAttrOfType<ArrayAttr>(spmd::SPMDDialect::getShardingsAttrName());
  if (!shardings || shardings.empty())
    return std::nullopt;
  std::optional<int64_t> device;
  for (auto sharding : shardings.getAsRange<spmd::ShardingAttr>()) {
    spmd::MeshAttr mesh = spmd::lookupMesh(op, sharding.getMesh());
    if (!mesh || !mesh.isMaximal() ||
        (device && *device != mesh.getDeviceIds().front()))
      return std::nullopt;
    device = mesh.getDeviceIds().front();
  }
  return device;
}

namespace {

struct ImportEffects : impl::ImportEffectsPassBase<ImportEffects> {
  using ImportEffectsPassBase::ImportEffectsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<spmd::ShardableOpInterface>(op) && op->getNumRegions() == 0 &&
          !isMemoryEffectFree(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    ManualContexts contexts(getOperation());
    for (Operation *op : ops)
      if (failed(importOne(op, contexts)))
        return signalPassFailure();
  }

  LogicalResult importOne(Operation *op, ManualContexts &contexts) {
    FailureOr<ManualContext> context = contexts.lookup(op);
    if (failed(context))
      return failure();
    std::optional<int64_t> device = getDevice(op);
    if (device && context->isManual()) {
      InFlightDiagnostic error =
          op->emitOpError() << "is to run on device " << *device
                            << " alone, but is in a manual region, where each "
                               "device runs what stands there";
      error.attachNote(context->region->getLoc()) << "this one";
      return spmd::failWithFix(std::move(error),
                               "move it out of the region, or drop its "
                               "sharding");
    }
    Builder b(op);
    if (device) {
      op->removeDiscardableAttr(spmd::SPMDDialect::getShardingsAttrName());
      op->setDiscardableAttr(spmd::kDevice, b.getI64IntegerAttr(*device));
      ++numOnOneDevice;
    } else if (context->isFullyManual()) {
      op->setDiscardableAttr(spmd::kEachDevice, b.getUnitAttr());
      ++numOnEachDevice;
    }
    return success();
  }
};

} // namespace

} // namespace partita
