// Nine ops and two functions come down to the one op that the script looks for.
// RUN: partita-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/has-sine.sh' | FileCheck %s

// CHECK: func.func @main
// CHECK-NOT: stablehlo.{{add|multiply|exponential|dot_general}}
// CHECK: stablehlo.sine
// CHECK-NOT: stablehlo.{{add|multiply|exponential|dot_general}}
// CHECK-NOT: @unused
func.func @main(%a: tensor<4xf32>, %b: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.add %0, %a : tensor<4xf32>
  %2 = stablehlo.dot_general %b, %1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.sine %2 : tensor<4xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<4xf32>
  %5 = stablehlo.add %4, %0 : tensor<4xf32>
  return %5 : tensor<4xf32>
}
func.func @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
