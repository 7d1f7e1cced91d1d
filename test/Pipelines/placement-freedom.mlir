// What placement may choose: layouts of arguments and results that no user
// sharded, and what users' constraints ask for.
// RUN: split-file %s %t
// RUN: partita-opt --partita="to=placed arguments=free" %t/arguments.mlir | FileCheck %s --check-prefix=FREE
// RUN: partita-opt --partita="to=placed" %t/arguments.mlir | FileCheck %s --check-prefix=GIVEN
// RUN: partita-opt --partita="to=placed constraints=hints" %t/constraints.mlir | FileCheck %s --check-prefix=HINTS
// RUN: partita-opt --partita="to=placed" %t/constraints.mlir | FileCheck %s --check-prefix=KEPT
// RUN: for f in arguments constraints donated; do partita-run %t/$f.mlir --compare=exact --compare-each \
// RUN:   --partita="arguments=free constraints=hints"; done > %t.out
// RUN: FileCheck %s --check-prefix=EQUAL --implicit-check-not=DIFFERENT --implicit-check-not=vacuous < %t.out
// EQUAL-COUNT-3: equal (exact

// RUN: not partita-opt --partita="arguments=some" %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not partita-opt --spmd-place-reshards="arguments=some" %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: error: {{.*}}unknown arguments 'some'
// ARGUMENTS: fix: use free or propagated
// RUN: not partita-opt --partita="constraints=some" %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=CONSTRAINTS
// RUN: not partita-opt --spmd-place-reshards="constraints=some" %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=CONSTRAINTS
// CONSTRAINTS: error: {{.*}}unknown constraints 'some'
// CONSTRAINTS: fix: use {{kept or hints|hints or kept}}
// RUN: not partita-opt --partita="results=some" %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: error: {{.*}}unknown results 'some'
// RESULTS: fix: use free, uneven or propagated

// Nobody said how the weights arrive: rows over y, as the contraction suggests,
// cost a reduction of a large result; columns, only a gather of the small operand.
// The user's own layout stays.
// FREE:  @main(%arg0: {{.*}}[{"x"}, {"y"}]>}, %arg1: tensor<600x840xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}
// GIVEN: @main(%arg0: {{.*}}[{"x"}, {"y"}]>}, %arg1: tensor<600x840xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}

// The constraint asks for a layout that nothing after it wants.
// HINTS-NOT: spmd.reshard
// KEPT: spmd.reshard

//--- arguments.mlir
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<12x600xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %arg1: tensor<600x840xf32>) -> tensor<12x840xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<12x600xf32>, tensor<600x840xf32>) -> tensor<12x840xf32>
    return %0 : tensor<12x840xf32>
  }
}

//--- constraints.mlir
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<12x600xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<12x600xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<12x600xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<12x600xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<12x600xf32>
    return %2 : tensor<12x600xf32>
  }
}

//--- donated.mlir
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<12x6xf32> {tf.aliasing_output = 0 : i32},
                         %arg1: tensor<12x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %arg2: tensor<7x6xf32>) -> tensor<12x6xf32> {
    %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<12x7xf32>, tensor<7x6xf32>) -> tensor<12x6xf32>
    %1 = stablehlo.subtract %arg0, %0 : tensor<12x6xf32>
    return %1 : tensor<12x6xf32>
  }
}
