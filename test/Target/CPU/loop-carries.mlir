// A value that a loop carries twice is computed in one carry's place and copied to the other.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%n: tensor<i32>, %a: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %u = %a, %v = %a, %w = %a) : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %u, %w : tensor<4x3xf32>
    stablehlo.return %next, %s, %s, %v : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}
