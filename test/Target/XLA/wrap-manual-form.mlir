// RUN: partita-opt --xla-wrap-manual-form --split-input-file %s | FileCheck %s

// The signature is that of the whole arrays; other attributes stay.
// CHECK: sdy.mesh @m = <["x"=4, "y"=2]>
// CHECK: func.func @main(%[[A:.*]]: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME: -> (tensor<8x6xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
// CHECK: sdy.manual_computation(%[[A]]) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x", "y"} (%[[L:.*]]: tensor<2x6xf32>) {
// CHECK-NEXT: %[[R:.*]] = func.call @f(%[[L]])
// CHECK-NEXT: sdy.return %[[R]] : tensor<2x6xf32>
// CHECK: func.func private @f(%{{.*}}: tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NOT: spmd
spmd.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<2x6xf32> {spmd.global_type = tensor<8x6xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>, tf.aliasing_output = 0 : i32}) -> (tensor<2x6xf32> {jax.result_info = "out", spmd.global_type = tensor<8x6xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>}) {
  %0 = call @f(%arg0) : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
func.func private @f(%arg0: tensor<2x6xf32> {spmd.global_type = tensor<8x6xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>}) -> (tensor<2x6xf32> {spmd.global_type = tensor<8x6xf32>}) {
  return %arg0 : tensor<2x6xf32>
}

// -----

// Sizes that do not divide are padded before the region and cut after it; a
// value without a sharding is whole on every device.
// CHECK-LABEL: func.func @main(%arg0: tensor<7xf32> {{.*}}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>})
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0], high = [1]
// CHECK: %[[M:.*]] = sdy.manual_computation(%[[P]], %arg1)
// CHECK: } : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK: stablehlo.slice %[[M]] [0:7]
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<7xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<2xf32> {spmd.global_type = tensor<7xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) {
  return %arg0 : tensor<2xf32>
}

// -----

// Parts of an axis become axes.
// CHECK: sdy.mesh @m = <["x_0"=2, "x_1"=2, "y"=2]>
// CHECK: in_shardings=[<@m, [{"x_1"}]>, <@m, [{"x_0", "x_1"}]>]
// CHECK-SAME: manual_axes={"x_0", "x_1", "y"}
spmd.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<4xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@m, [{"x":(2)2}]>}, %arg1: tensor<2xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// One device needs no region.
// CHECK: func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: return %arg0
func.func @main(%arg0: tensor<8xf32> {spmd.global_type = tensor<8xf32>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Parts of a sum stay parts, also of half an axis.
// CHECK: sdy.mesh @m = <["x_0"=2, "x_1"=2, "y"=2]>
// CHECK: func.func @main(%{{.*}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"y"}>})
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x_1"}>})
// CHECK: in_shardings=[<@m, [{}], unreduced={"y"}>] out_shardings=[<@m, [{}], unreduced=max{"x_1"}>]
spmd.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@m, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@m, [{}], unreduced=[max]{"x":(2)2}>}) {
  return %arg0 : tensor<8xf32>
}
