// Passes of the phase "partitioned".
#ifndef PARTITA_TRANSFORMS_PARTITION_PASSES
#define PARTITA_TRANSFORMS_PARTITION_PASSES

include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"spmd-partition", "::mlir::ModuleOp"> {
  let summary = "Turns a placed whole-array program into the per-device program";
  let description = [{
    Before: phase *placed*. Every op emits its local form through
    `ShardableOpInterface`; every `spmd.reshard` becomes the collectives of its
    plan; `spmd.manual` is inlined. After: local shapes only, every communication
    is an spmd collective. Function arguments and results keep their
    `spmd.sharding` and record the whole shape in `spmd.global_type`, so that a
    runner can cut and assemble values.

    ```mlir
    func.func @main(%x: tensor<8x4xf32> {spmd.sharding = <@m, [{"x"}, {} ]>}) ...
    // ->
    func.func @main(%x: tensor<2x4xf32> {spmd.global_type = tensor<8x4xf32>, ...
    ```
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"tpu-v5e\"",
           "what prices of reshard plans are for: a machine, e.g. h100-nvlink, "
           "with figures of its own after commas: cpu,launch=9e-5,link=1e9">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "what a reshard plan minimises: time or bytes">,
    Option<"checkPlaced", "check-placed", "bool", "true",
           "first check that the module is placed; the pipeline has just done so">
  ];
  let statistics = [
    Statistic<"numCollectives", "collectives", "Number of collectives emitted">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

def VerifyPartitionedPass : Pass<"spmd-verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "Checks that only local shapes and spmd collectives are left";
  let description = [{
    No reshard, constraint, group, barrier, manual region or sharding of a value is
    left; what each device holds of main's arguments and results is what their
    `spmd.sharding` makes of their `spmd.global_type`.
  }];
}

def VerifyMemoryPass : Pass<"spmd-verify-memory", "::mlir::ModuleOp"> {
  let summary = "Checks that the per-device program keeps a memory limit";
  let description = [{
    Arguments, results and temporaries of main on one device, by liveness in program
    order. Placement keeps the limit by an estimate, before shapes are local and
    reshards have become collectives; here it is what is emitted.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "0", "bytes; 0: no limit">
  ];
}

def MergeFunctionsPass : Pass<"spmd-merge-functions", "::mlir::ModuleOp"> {
  let summary = "Merges private functions that partition left equal";
  let description = [{
    Import clones a callee per call site, so that each may be sharded in its own
    way. Those that came out equal become one again.
  }];
  let statistics = [Statistic<"numMerged", "merged", "Number of functions merged">];
}

#endif
