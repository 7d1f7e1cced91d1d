// Several values pass an optimization_barrier side by side, each in its own layout: one axis may split them in different
// places. A checkpointed layer's backward pass has its activations, cotangents and weights there.
// RUN: partita-opt %s --spmd-propagate-shardings --spmd-place-reshards --spmd-verify-placed | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"x"=2, "y"=3/"x"=2, "y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

spmd.mesh @m = <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<12x5xf32> {spmd.sharding = #spmd.sharding<@m, [{"x", "y"}, {}]>}, %b: tensor<7x12xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {"y"}]>}, %w: tensor<5x7xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {}]>})
    -> (tensor<12x7xf32> {spmd.sharding = #spmd.sharding<@m, [{"x", "y"}, {}]>}, tensor<7x12xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {"y"}]>}) {
  // CHECK-NOT: spmd.reshard
  // CHECK: stablehlo.optimization_barrier {spmd.shardings = [#spmd.sharding<@m, [{"x", "y"}, {}]>, #spmd.sharding<@m, [{}, {}]>, #spmd.sharding<@m, [{}, {"y"}]>]} %arg0, %arg2, %arg1
  // CHECK-NOT: spmd.reshard
  %0:3 = stablehlo.optimization_barrier %a, %w, %b : tensor<12x5xf32>, tensor<5x7xf32>, tensor<7x12xf32>
  %1 = stablehlo.dot_general %0#0, %0#1, contracting_dims = [1] x [0] : (tensor<12x5xf32>, tensor<5x7xf32>) -> tensor<12x7xf32>
  %2 = stablehlo.tanh %0#2 : tensor<7x12xf32>
  return %1, %2 : tensor<12x7xf32>, tensor<7x12xf32>
}
