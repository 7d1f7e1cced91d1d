// Passes of the phase "propagated".
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PASSES
#define PARTITA_TRANSFORMS_PROPAGATION_PASSES

include "mlir/Pass/PassBase.td"

def PropagateShardingsPass : Pass<"spmd-propagate-shardings", "::mlir::ModuleOp"> {
  let summary = "Gives every value a sharding, from those that the user gave";
  let description = [{
    Before: phase *imported*; some values, constraints and function results are
    annotated. Axes pass along the factors of each op's sharding rule, by user
    priority first, by kind of op next (elementwise and reshapes, then parallel
    factors, then all, broadcasts forward last); where two factors want one
    axis, the one that the larger tensor has takes it. The result is what
    Shardy reports for the same program. After: every ranked value outside op
    bodies, every function argument and every function result has a closed
    sharding. No op is added or removed, except that a constraint on a loop
    carry, call result or the like moves behind that value and takes its uses.

    A module without a mesh gets one of a single device.

    ```mlir
    func.func @main(%x: tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {?} ]>})
        -> tensor<8x4xf32> {
      %0 = stablehlo.tanh %x : tensor<8x4xf32>
    // ->
    func.func @main(%x: tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {} ]>})
        -> (tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {} ]>}) {
      %0 = stablehlo.tanh %x {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {} ]>]} : tensor<8x4xf32>
    ```
  }];
  let options = [
    Option<"explain", "explain", "std::string", "\"\"",
           "value whose sharding is explained in a remark: %name, 'all', or "
           "'steps' for every step in order">
  ];
  let statistics = [
    Statistic<"numValues", "values", "Number of values annotated">,
    Statistic<"numVisits", "visits", "Number of ops looked at, repeats included">,
    Statistic<"numFirst", "steps-pass-through",
              "Number of dimensions sharded through elementwise ops and reshapes">,
    Statistic<"numSecond", "steps-shared",
              "Number of dimensions sharded through those with shared operands">,
    Statistic<"numThird", "steps-parallel",
              "Number of dimensions sharded along parallel factors">,
    Statistic<"numFourth", "steps-all",
              "Number of dimensions sharded along any factor">,
    Statistic<"numFifth", "steps-broadcast",
              "Number of dimensions sharded forward through broadcasts">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}

def VerifyPropagatedPass : Pass<"spmd-verify-propagated", "::mlir::ModuleOp"> {
  let summary = "Checks that every ranked value outside op bodies has a sharding";
  let description = [{
    Ends phase *propagated*. Function arguments and results, op results outside
    op bodies and both sides of manual regions must have a sharding that fits
    the type and is closed.
  }];
}

def PrintShardingRulesPass : Pass<"spmd-print-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "Prints the sharding rule of every op, one line each, for tests";
  let description = [{
    Prints `@function: op: rule` to standard output; `no model` for an op that
    has none, nothing for ops of builtin, func and op bodies.
  }];
}

#endif
