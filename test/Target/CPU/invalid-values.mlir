// NaN from invalid operations has one sign in machine code and in the evaluator, that
// of XLA's CPU compiler: top_k and sorts order numbers by it.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%a: tensor<9xf32>) -> (tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<4xi32>) {
  %half = stablehlo.constant dense<[0.5, 1.5, -0.5, 0.25, 0.5, 2.5, 0.1, 0.9, 0.5]> : tensor<9xf32>
  %one = stablehlo.constant dense<1.0> : tensor<9xf32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<9xf32>
  %square = stablehlo.multiply %a, %a : tensor<9xf32>
  %positive = stablehlo.add %square, %one : tensor<9xf32>
  %negative = stablehlo.negate %positive : tensor<9xf32>
  %infinite = stablehlo.multiply %positive, %infinity : tensor<9xf32>
  %power = stablehlo.power %negative, %half : tensor<9xf32>
  %log = stablehlo.log %negative : tensor<9xf32>
  %sine = stablehlo.sine %infinite : tensor<9xf32>
  %cosine = stablehlo.cosine %infinite : tensor<9xf32>
  %root = stablehlo.sqrt %negative : tensor<9xf32>
  %0 = stablehlo.bitcast_convert %power : (tensor<9xf32>) -> tensor<9xui32>
  %1 = stablehlo.bitcast_convert %log : (tensor<9xf32>) -> tensor<9xui32>
  %2 = stablehlo.bitcast_convert %sine : (tensor<9xf32>) -> tensor<9xui32>
  %3 = stablehlo.bitcast_convert %cosine : (tensor<9xf32>) -> tensor<9xui32>
  %4 = stablehlo.bitcast_convert %root : (tensor<9xf32>) -> tensor<9xui32>
  %5 = stablehlo.power %a, %half : tensor<9xf32>
  %values, %indices = chlo.top_k(%5, k = 4) : tensor<9xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return %0, %1, %2, %3, %4, %indices : tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<4xi32>
}
