// Partial sums pass ops that only move elements: slices of them are summed, not wholes;
// what is put into a carried array is summed once, after the loop.
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: partita-run %s --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --compare=unsharded --engine=jit --no-cache
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

sdy.mesh @m = <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @main
// CHECK:       stablehlo.while
// CHECK-NOT:   spmd.all_reduce
// CHECK-NOT:   spmd.reduce_scatter
// CHECK:       stablehlo.dynamic_update_slice
// CHECK-NOT:   spmd.all_reduce
// CHECK-NOT:   spmd.reduce_scatter
// CHECK:       stablehlo.return
// CHECK:       stablehlo.slice {{.*}} [0:9, 1:3] : (tensor<9x7xf32>) -> tensor<9x2xf32>
// CHECK-DAG:   spmd.all_reduce add {{.*}} {"y"} on @m : (tensor<9x2xf32>) -> tensor<9x2xf32>
// CHECK-DAG:   spmd.all_reduce add {{.*}} {"x", "y"} on @m : (tensor<4x7xf32>) -> tensor<4x7xf32>
// CHECK-NOT:   spmd.all_reduce
func.func @main(%a: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, %w: tensor<12x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}, %b: tensor<9x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, %v: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>})
    -> (tensor<4x7xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, tensor<9x2xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %out = %zeros) : tensor<i32>, tensor<4x7xf32>
  cond {
    %c = stablehlo.compare LT, %i, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %a, %i, %c0, sizes = [1, 12] : (tensor<4x12xf32>, tensor<i32>, tensor<i32>) -> tensor<1x12xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<1x12xf32>, tensor<12x7xf32>) -> tensor<1x7xf32>
    %3 = stablehlo.dynamic_update_slice %out, %2, %i, %c0 : (tensor<4x7xf32>, tensor<1x7xf32>, tensor<i32>, tensor<i32>) -> tensor<4x7xf32>
    %next = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %next, %3 : tensor<i32>, tensor<4x7xf32>
  }
  %4 = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<9x8xf32>, tensor<8x7xf32>) -> tensor<9x7xf32>
  %5 = stablehlo.slice %4 [0:9, 1:3] : (tensor<9x7xf32>) -> tensor<9x2xf32>
  %6 = stablehlo.reverse %5, dims = [0] : tensor<9x2xf32>
  return %0#1, %6 : tensor<4x7xf32>, tensor<9x2xf32>
}
