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
    rounds, a collective of several values one per value, and one over several
    dimensions one along a dimension of its own beside local transposes. Attributes
    of the spmd dialect on ops are dropped.

    With `axis-groups` groups name axes of the meshes, from which HLO text makes
    iota groups. With `machine` its prices choose between forms: an all_to_all
    between two devices becomes a permute of the half that each gives away where
    that costs less, and a gather or reduce_scatter over several dimensions one per
    dimension where the launches cost less than the transposes.

    XLA (of jaxlib 0.10.2) folds a slice of a slice at run-time positions into one
    without clamping the inner start; a barrier between the two prevents that.

    ```mlir
    %1 = spmd.all_reduce add %0 {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    // ->
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[ [0, 2], [1, 3] ]> ...
    ```
  }];
  let options = [
    Option<"axisGroups", "axis-groups", "bool", "false",
           "Replica groups that name mesh axes, not device ids">,
    Option<"expandBroadcasts", "expand-broadcasts", "bool", "false",
           "Broadcasts as sums to which all but the root add zero (XLA has "
           "collective_broadcast on GPU alone)">,
    Option<"machine", "machine", "std::string", "",
           "Machine whose prices choose between forms of a collective; none: "
           "as few launches as there can be">
  ];
  let statistics = [
    Statistic<"numCollectives", "collectives", "Number of collectives converted">,
    Statistic<"numRounds", "exchange-rounds", "Permutes that exchanges became">
  ];
  let dependentDialects = ["::partita::stablehlo::StableHLODialect"];
}

def ConvertSPMDToRuntimePass
    : Pass<"convert-spmd-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turns spmd collectives into calls of the runtime";
  let description = [{
    Before: `convert-spmd-to-stablehlo`. After: every collective is an `spmd.runtime_call`
    whose descriptor lists device ids; what is local about it (transposes, splits)
    is StableHLO around the call. Calls keep the order of the collectives.
  }];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of collectives converted">
  ];
  let dependentDialects = ["::partita::stablehlo::StableHLODialect"];
}

def ConvertStableHLOToLinalgPass
    : Pass<"convert-stablehlo-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Turns the per-device program into linalg, tensor, scf and arith";
  let description = [{
    Before: `convert-spmd-to-runtime`. After: elementwise ops, reductions and data
    movement are linalg and tensor ops on signless types, control flow is scf, and
    all other ops are `spmd.runtime_call`s of the runtime's kernels.

    ```mlir
    %1 = stablehlo.add %0, %0 : tensor<4xui32>
    // ->
    %1 = linalg.generic ... ins(%0, %0 : tensor<4xi32>, tensor<4xi32>) ... arith.addi
    ```
  }];
  let statistics = [
    Statistic<"numRuntimeCalls", "runtime-calls", "Kernels of the runtime called">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::complex::ComplexDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::partita::spmd::SPMDDialect"];
}

#endif
