// A sort by a comparator that is no order, for some values are NaN, is the same on both engines.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%x: tensor<4x40xf32>) -> (tensor<4x40xf32>, tensor<4x40xf32>) {
  %0 = stablehlo.sqrt %x : tensor<4x40xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  %2 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  return %1, %2 : tensor<4x40xf32>, tensor<4x40xf32>
}
