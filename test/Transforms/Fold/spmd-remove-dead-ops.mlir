// RUN: partita-opt --spmd-remove-dead-ops %s | FileCheck %s
// RUN: partita-opt --partita-to=optimized %s | FileCheck %s --check-prefix=PIPELINE

sdy.mesh @mesh = <["x"=2]>

// The sort needs its dimension whole, but nobody reads it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: stablehlo.sort
// CHECK-NOT: stablehlo.negate
// CHECK: %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT: return %[[SUM]]
// PIPELINE-LABEL: func.func @main
// PIPELINE-NOT: spmd.all_gather
// PIPELINE: return
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %sum = stablehlo.add %a, %a : tensor<8xf32>
  return %sum : tensor<8xf32>
}
