// RUN: partita-opt %s --spmd-partition --remarks-filter=partition 2>&1 | FileCheck %s

// Windows every five next to blocks of two: each device computes all and keeps its
// block. Placement prices that; here it is given.

spmd.mesh @m = <["x"=4]>
#x = #spmd.sharding<@m, [{"x"}, {}]>
#scalar = #spmd.sharding<@m, []>

// CHECK: stablehlo.select_and_scatter: computed whole on each device, 128 bytes, because intervals of windows that cover its blocks are as long as the dimension
// CHECK-LABEL: func.func @main
// CHECK: spmd.all_gather
// CHECK: }) : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<8x4xf32>
// CHECK: spmd.all_slice
func.func @main(%b: tensor<8x4xf32> {spmd.sharding = #x}, %w: tensor<2x4xf32> {spmd.sharding = #x}, %i: tensor<f32> {spmd.sharding = #scalar}) -> (tensor<8x4xf32> {spmd.sharding = #x}) {
  %0 = "stablehlo.select_and_scatter"(%b, %w, %i) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 5, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {spmd.shardings = [#x]} : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
