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

struct ConvertSPMDToStableHLO
    : impl::ConvertSPMDToStableHLOPassBase<ConvertSPMDToStableHLO> {
  using ConvertSPMDToStableHLOPassBase::ConvertSPMDToStableHLOPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getDialect() != op->getContext()->getLoadedDialect("spmd") ||
          isa<spmd::MeshOp>(op))
        return WalkResult::advance();
      if (!isa<spmd::DoneOp>(op)) // goes with its start
        ops.push_back(op);
      return WalkResult::skip();
    });
    CollectiveConverter converter(module);
    for (Operation *op : ops)
      if (failed(converter.convert(op)))
        return signalPassFailure();
    numCollectives += converter.numCollectives;
    numRounds += converter.numRounds;
  }
};

} // namespace
} // namespace partita
