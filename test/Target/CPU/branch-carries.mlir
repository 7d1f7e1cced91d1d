// Branches in a loop that return carried values and values from outside, in turn: the
// loop writes its carries in place all the same, and no buffer that a branch returned
// is used again too early.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%n: tensor<i1>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.convert %n : (tensor<i1>) -> tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c10 = stablehlo.constant dense<10> : tensor<i32>
  %1:4 = stablehlo.while(%which = %0, %i = %c0, %sum = %zeros, %u = %v) : tensor<i32>, tensor<i32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %c10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %2:2 = "stablehlo.case"(%which) ({
      stablehlo.return %zeros, %u : tensor<8xf32>, tensor<8xf32>
    }, {
      %same = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
      stablehlo.return %u, %same : tensor<8xf32>, tensor<8xf32>
    }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
    %3 = stablehlo.reverse %2#1, dims = [0] : tensor<8xf32>
    %4 = "stablehlo.case"(%which) ({
      stablehlo.return %3 : tensor<8xf32>
    }, {
      %r = stablehlo.reverse %2#0, dims = [0] : tensor<8xf32>
      %s = stablehlo.sine %r : tensor<8xf32>
      %t = stablehlo.reverse %s, dims = [0] : tensor<8xf32>
      stablehlo.return %t : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %5 = stablehlo.add %sum, %2#0 : tensor<8xf32>
    %6 = stablehlo.add %5, %4 : tensor<8xf32>
    %next = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %which, %next, %6, %2#1 : tensor<i32>, tensor<i32>, tensor<8xf32>, tensor<8xf32>
  }
  return %1#3, %1#2, %zeros : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
