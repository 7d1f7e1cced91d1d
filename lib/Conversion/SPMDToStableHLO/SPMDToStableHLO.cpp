// convert-spmd-to-stablehlo: the per-device program in StableHLO alone.
//
// Before: phase optimized. After: no spmd op but the meshes, which
// name the layouts of the signature, is left.

#include "CollectiveConverter.h"
#include "partita/Conversion/Passes.h"

namespace partita {
#define GEN_PASS_DEF_CONVERTSPMDTOSTABLEHLOPASS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// True if XLA may fold `op` into the slice that its operand comes from
/// although its start, before clamping, may lie outside.
bool mayFoldIntoSlice(Operation *op) {
  if (isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op))
    return true; // with one index they become slices
  auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op);
  return slice && !llvm::all_of(slice.getStartIndices(), [](Value start) {
           return isa_and_nonnull<stablehlo::ConstantOp, stablehlo::ClampOp>(
               start.getDefiningOp());
         });
}

/// Puts a barrier behind each slice at a run-time position that another op
/// indexes.
void separateSlices(ModuleOp module) {
  SmallVector<stablehlo::DynamicSliceOp> slices;
  module.walk([&](stablehlo::DynamicSliceOp slice) {
    if (llvm::any_of(slice.getResult().getUses(), [](OpOperand &use) {
          return use.getOperandNumber() == 0 &&
                 mayFoldIntoSlice(use.getOwner());
        }))
      slices.push_back(slice);
  });
  for (stablehlo::DynamicSliceOp slice : slices) {
    OpBuilder b(slice->getContext());
    b.setInsertionPointAfter(slice);
    Value value = slice.getResult();
    auto barrier = stablehlo::OptimizationBarrierOp::create(
        b, slice.getLoc(), TypeRange(value.getType()), ValueRange(value));
    value.replaceAllUsesExcept(barrier->getResult(0), barrier);
  }
}

/// Drops spmd attributes of ops; those of functions name the signature's
/// layout.
void dropAttributes(ModuleOp module, Dialect *spmd) {
  module.walk([&](Operation *op) {
    if (isa<FunctionOpInterface>(op))
      return;
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getNameDialect() == spmd)
        names.push_back(attribute.getName());
    for (StringAttr name : names)
      op->removeDiscardableAttr(name);
  });
}

struct ConvertSPMDToStableHLO
    : impl::ConvertSPMDToStableHLOPassBase<ConvertSPMDToStableHLO> {
  using ConvertSPMDToStableHLOPassBase::ConvertSPMDToStableHLOPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Dialect *spmd = module->getContext()->getLoadedDialect("spmd");
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getDialect() != spmd || isa<spmd::MeshOp>(op))
        return WalkResult::advance();
      if (!isa<spmd::DoneOp>(op)) // goes with its start
        ops.push_back(op);
      return WalkResult::skip();
    });
    std::optional<CostModel> prices;
    if (!machine.empty()) {
      FailureOr<CostModel> found = getCostModel(module, machine, "time");
      if (failed(found))
        return signalPassFailure();
      prices = *found;
    }
    CollectiveConverter converter(module, axisGroups, expandBroadcasts, prices);
    for (Operation *op : ops)
      if (failed(converter.convert(op)))
        return signalPassFailure();
    separateSlices(module);
    dropAttributes(module, spmd);
    numCollectives += converter.numCollectives;
    numRounds += converter.numRounds;
  }
};

} // namespace
} // namespace partita
