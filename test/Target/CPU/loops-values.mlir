// Loops give what the evaluator gives.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
// The maximum with a scalar and the product of those maxima are one linalg op with an output that
// each iteration of the reduction has for itself. The sum along no dimension is not repeated with
// the broadcast that reads it.
func.func @main(%x: tensor<3xf32>, %low: tensor<f32>) -> (tensor<3xf32>, tensor<f32>, tensor<4x3xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %m = stablehlo.maximum %x, %wide : tensor<3xf32>
  %p = stablehlo.reduce(%m init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %s = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  return %m, %p, %b : tensor<3xf32>, tensor<f32>, tensor<4x3xf32>
}
