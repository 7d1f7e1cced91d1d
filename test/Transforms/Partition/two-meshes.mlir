// Data on one mesh and computation on another of the same devices, in an order of its own:
// values go from one to the other.
// RUN: partita-run %s --compare=exact --compare-each
// RUN: partita-run %s --compare=unsharded --engine=jit --no-cache
// RUN: partita-run %s --partita=machine=free-network --compare=exact
// RUN: partita-translate --spmd-to-manual %s | FileCheck %s
// CHECK: sdy.mesh @data = <["x_0"=2, "x_1"=2, "y"=3]
sdy.mesh @data = <["x"=4, "y"=3], device_ids=[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]>
sdy.mesh @model = <["a"=2, "b"=6], device_ids=[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]>
func.func @main(%x: tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@data, [{"x", "y"}, {}]>}, %w: tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@model, [{"a"}, {"b"}]>}) -> (tensor<24x18xf32> {sdy.sharding = #sdy.sharding<@model, [{"a"}, {"b"}]>}, tensor<18xf32> {sdy.sharding = #sdy.sharding<@data, [{"y"}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<24x12xf32>, tensor<12x18xf32>) -> tensor<24x18xf32>
  %1 = sdy.sharding_constraint %0 <@data, [{"x"}, {"y"}]> : tensor<24x18xf32>
  %2 = stablehlo.tanh %1 : tensor<24x18xf32>
  %3 = sdy.sharding_constraint %2 <@model, [{"a"}, {"b"}]> : tensor<24x18xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<24x18xf32>, tensor<f32>) -> tensor<18xf32>
  return %3, %4 : tensor<24x18xf32>, tensor<18xf32>
}
