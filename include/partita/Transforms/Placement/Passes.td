// Passes of the phase "placed".
#ifndef PARTITA_TRANSFORMS_PLACEMENT_PASSES
#define PARTITA_TRANSFORMS_PLACEMENT_PASSES

include "mlir/Pass/PassBase.td"

def PlaceReshardsPass : Pass<"spmd-place-reshards", "::mlir::ModuleOp"> {
  let summary = "Chooses how each op is split and makes every reshard explicit";
  let description = [{
    Before: phase *propagated*. Chooses how every op is split, what loop carries and
    calls are laid out as, and in which layouts values are kept, by the cost of
    reshards and compute, one mesh axis after the other (Rationale.md of the
    folder). After: every op's operands and results agree with its rule, partial
    sums are `unreduced`, and every difference is an `spmd.reshard`.

    ```mlir
    // x {"x"},{"y"}; w {"y"},{}; result {"x"},{}
    %0 = stablehlo.dot %x, %w {spmd.shardings = [<@m, [{"x"}, {} ]>]} : ...
    // ->
    %0 = stablehlo.dot %x, %w {spmd.shardings = [<@m, [{"x"}, {} ], unreduced={"y"}>]} : ...
    %1 = spmd.reshard %0 <@m, [{"x"}, {} ]> {spmd.shardings = [...]} : ...
    ```
  }];
  let options = [
    Option<"objective", "objective", "std::string", "\"time\"",
           "what a plan minimises: time or bytes">,
    Option<"machine", "machine", "std::string", "\"tpu-v5e\"",
           "what prices are for: a machine, e.g. h100-nvlink, with figures of "
           "its own after commas: cpu,launch=9e-5,link=1e9">,
    Option<"results", "results", "std::string", "\"free\"",
           "results that no user sharded: free (in even blocks), uneven (free, "
           "in any blocks), or propagated">,
    Option<"arguments", "arguments", "std::string", "\"propagated\"",
           "arguments that no user sharded: free, or as propagated">,
    Option<"constraints", "constraints", "std::string", "\"kept\"",
           "sharding constraints: kept, or hints, which a cheaper plan overrides">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes that one device may take at its peak; 0: no limit">
  ];
  let statistics = [
    Statistic<"numReshards", "reshards", "Number of spmd.reshard ops placed">,
    Statistic<"numPartial", "partial-results",
              "Number of op results left unreduced">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}

def VerifyPlacedPass : Pass<"spmd-verify-placed", "::mlir::ModuleOp"> {
  let summary = "Checks that every op is conflict-free by its own rule";
  let description = [{
    Every ranked value outside op bodies has a sharding; one assignment of axes to
    an op's factors gives exactly the shardings of its operands and results; values
    arrive at regions, calls and function results in the layout that is expected
    there; no constraint, group or barrier is left.
  }];
}

#endif
