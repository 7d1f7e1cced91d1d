// Conversion passes, one per edge.
#ifndef PARTITA_CONVERSION_PASSES
#define PARTITA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSPMDToStableHLOPass
    : Pass<"convert-spmd-to-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Turns spmd collectives into StableHLO ones with replica groups";
  let description = [{
    Before: phase *optimized*. After: the per-device program in StableHLO alone.
    Groups name partition ids (`use_global_device_ids`, channel type 1). Async
    pairs are joined. An exchange becomes collective permutes of its schedule's
    rounds.

    ```mlir
    %1 = spmd.all_reduce add %0 {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    // ->
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[ [0, 2], [1, 3] ]> ...
    ```
  }];
  let statistics = [
    Statistic<"numCollectives", "collectives", "Number of collectives converted">,
    Statistic<"numRounds", "exchange-rounds", "Permutes that exchanges became">
  ];
  let dependentDialects = ["::partita::stablehlo::StableHLODialect"];
}

#endif
