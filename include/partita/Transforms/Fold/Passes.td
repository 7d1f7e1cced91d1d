// Passes that make a propagated program smaller before it is placed.
#ifndef PARTITA_TRANSFORMS_FOLD_PASSES
#define PARTITA_TRANSFORMS_FOLD_PASSES

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"spmd-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Evaluates integer ops whose operands are constants";
  let description = [{
    Before and after: any phase up to *propagated*. An op without regions or
    effects, with one result, all of whose operands are constants and whose
    operands and result hold integers or booleans, becomes the constant that the
    evaluator gives for it, with the op's sharding. The result is never larger
    than the largest operand, or than 64 elements. Floats are left alone: they
    are computed where and as the program says.

    ```mlir
    %2 = stablehlo.add %0, %1 : tensor<2xi32>        // %0, %1 constants
    // ->
    %2 = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
    ```
  }];
  let statistics = [Statistic<"numFolded", "folded", "Number of ops folded">];
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}

def RemoveDeadOpsPass : Pass<"spmd-remove-dead-ops", "::mlir::ModuleOp"> {
  let summary = "Removes ops whose results nothing reads";
  let description = [{
    Before and after: any phase up to *propagated*. Ops without effects and
    without uses go, last first, in all regions. What is dead would otherwise be
    placed, gathered for and paid for. Signatures and loop carries stay.
  }];
  let statistics = [Statistic<"numRemoved", "removed", "Number of ops removed">];
}

#endif
