// Passes that give a program the forms that XLA compiles.
#ifndef PARTITA_TARGET_XLA_PASSES
#define PARTITA_TARGET_XLA_PASSES

include "mlir/Pass/PassBase.td"

def WrapManualFormPass : Pass<"xla-wrap-manual-form", "::mlir::ModuleOp"> {
  let summary = "Puts the per-device program into one sdy.manual_computation";
  let description = [{
    Before: the per-device program in StableHLO (`convert-spmd-to-stablehlo`).
    After: main has the original whole-array signature, with `sdy.sharding`s, and
    its body is one `sdy.manual_computation` over all mesh axes around the
    per-device program. XLA runs that body as it stands on CPU, GPU or TPU. Values
    that do not divide are padded before and sliced after the region. A mesh axis
    of which only parts are used is split into named parts.
  }];
  let dependentDialects = ["::partita::sdy::SdyDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

#endif
