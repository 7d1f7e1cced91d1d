// RUN: partita-opt %s --spmd-verify-placed | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=4]>

// Conflict-free: both contracting dimensions by "y", the sums unreduced in "y".
// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<6x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>]} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %1 = spmd.reshard %0 <@mesh, [{"x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Bodies of ops have no shardings; a value that is no tensor has none either.
// CHECK-LABEL: func.func @bodies
func.func @bodies(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"x"}]>}, %t: !stablehlo.token) -> (tensor<6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, !stablehlo.token) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%v: tensor<f32>, %w: tensor<f32>) {
    %1 = stablehlo.add %v, %w : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0, %t : tensor<6xf32>, !stablehlo.token
}

// What lies on one device needs no agreement on axes.
// CHECK-LABEL: func.func @replicated
func.func @replicated(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.reverse %a, dims = [0] {spmd.shardings = [#spmd.sharding<@mesh, [{}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
