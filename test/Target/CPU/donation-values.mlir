// Donated arguments that trade places, two that results are computed over (one from a value
// that dies there), and one that is not donated, updated and returned: all values as without
// donation.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%a: tensor<8x16xf32> {tf.aliasing_output = 1 : i32},
                %b: tensor<8x16xf32> {tf.aliasing_output = 0 : i32},
                %c: tensor<4x16xf32> {jax.buffer_donor = true},
                %d: tensor<6x16xf32>,
                %e: tensor<16xf32> {jax.buffer_donor = true})
    -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>,
        tensor<6x16xf32>, tensor<6x16xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // %c is read once more, after its new value is made.
  %new = stablehlo.add %c, %c : tensor<4x16xf32>
  %t = stablehlo.reverse %c, dims = [0] : tensor<4x16xf32>
  %old = stablehlo.subtract %t, %new : tensor<4x16xf32>
  %part = stablehlo.slice %c [0:2, 0:16] : (tensor<4x16xf32>) -> tensor<2x16xf32>
  %updated = stablehlo.dynamic_update_slice %d, %part, %one, %zero : (tensor<6x16xf32>, tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<6x16xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%d init: %start) applies stablehlo.add across dimensions = [0] : (tensor<6x16xf32>, tensor<f32>) -> tensor<16xf32>
  %step = stablehlo.subtract %e, %sum : tensor<16xf32>
  return %a, %b, %new, %old, %updated, %d, %step : tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<16xf32>
}
