// Padding of a reduced dimension is neutral for the reduction; a dimension that
// divides has none; padding of other dimensions stays as it is.
// RUN: partita-opt %s --spmd-partition | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=4]>

// Eight rows over four: no mask.
// CHECK-LABEL: func.func @even
// CHECK-NOT:     stablehlo.select
// CHECK:         stablehlo.reduce(%arg0
func.func @even(%a: tensor<8x5xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<5xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}], unreduced={"y"}>]} : (tensor<8x5xf32>, tensor<f32>) -> tensor<5xf32>
  %1 = spmd.reshard %0 <@mesh, [{"x"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// Least integers and least floats for a maximum.
// CHECK-LABEL: func.func @max_int
// CHECK:         %[[LEAST:.*]] = stablehlo.constant dense<-2147483648> : tensor<i32>
// CHECK:         %[[FILL:.*]] = stablehlo.broadcast_in_dim %[[LEAST]], dims
// CHECK:         %[[M:.*]] = stablehlo.select {{.*}}, %arg0, %[[FILL]] :
// CHECK:         stablehlo.reduce(%[[M]]
func.func @max_int(%a: tensor<7xi32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}, %i: tensor<i32> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<i32> {spmd.sharding = #spmd.sharding<@mesh, []>}) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [], unreduced=[max]{"y"}>]} : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %1 = spmd.reshard %0 <@mesh, []> {spmd.shardings = [#spmd.sharding<@mesh, []>]} : tensor<i32>
  return %1 : tensor<i32>
}

// Ones for a product.
// CHECK-LABEL: func.func @product
// CHECK:         stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         stablehlo.select {{.*}}, %arg0
func.func @product(%a: tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> (tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [], unreduced=[mul]{"y"}>]} : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  %1 = spmd.reshard %0 <@mesh, []> {spmd.shardings = [#spmd.sharding<@mesh, []>]} : tensor<f32>
  return %1 : tensor<f32>
}

// An init that is not neutral enters once: on the first device of the axis.
// CHECK-LABEL: func.func @init_once
// CHECK:         %[[INDEX:.*]] = spmd.axis_index {"y"} on @mesh
// CHECK:         %[[FIRST:.*]] = stablehlo.compare EQ
// CHECK:         %[[INIT:.*]] = stablehlo.select %[[FIRST]], %arg1
// CHECK:         stablehlo.reduce(%arg0 init: %[[INIT]])
func.func @init_once(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}, %i: tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [], unreduced={"y"}>]} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %1 = spmd.reshard %0 <@mesh, []> {spmd.shardings = [#spmd.sharding<@mesh, []>]} : tensor<f32>
  return %1 : tensor<f32>
}
