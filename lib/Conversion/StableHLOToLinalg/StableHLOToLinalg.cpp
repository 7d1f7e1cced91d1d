// convert-stablehlo-to-linalg: the per-device program on signless types.
//
// Before: no spmd collective is left (convert-spmd-to-runtime). After: func,
// linalg, tensor, scf, arith, math, complex and spmd.runtime_call.

#include "LinalgEmitter.h"
#include "partita/Conversion/Passes.h"

namespace partita {
#define GEN_PASS_DEF_CONVERTSTABLEHLOTOLINALGPASS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct ConvertStableHLOToLinalg
    : impl::ConvertStableHLOToLinalgPassBase<ConvertStableHLOToLinalg> {
  using ConvertStableHLOToLinalgPassBase::ConvertStableHLOToLinalgPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    LinalgEmitter emitter(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(emitter.emitFunction(function)))
        return signalPassFailure();
    numRuntimeCalls += emitter.numRuntimeCalls;
  }
};

} // namespace
} // namespace partita
