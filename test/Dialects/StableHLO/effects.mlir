// RUN: partita-opt %s -canonicalize -cse | FileCheck %s

// What passes may remove, merge and move, as the effects of ops say.

// A dead collective or loop goes; a custom call with a side effect, a feed and
// a draw from the hidden random state stay.
// CHECK-LABEL: func @dead
func.func @dead(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<1xi64>, %t: !stablehlo.token) {
  // CHECK-NOT: all_reduce
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: @pure
  %2 = stablehlo.custom_call @pure(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @effect
  %3 = stablehlo.custom_call @effect(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.rng
  %4 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  // CHECK: stablehlo.outfeed
  %5 = "stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: return
  return
}

// Equal collectives are one; operands of commutative ops may swap.
// CHECK-LABEL: func @equal
func.func @equal(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[G:.*]] = "stablehlo.all_gather"
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add
  %2 = stablehlo.add %a, %b : tensor<4xf32>
  %3 = stablehlo.add %b, %a : tensor<4xf32>
  // CHECK-NEXT: return %[[G]], %[[G]], %[[S]], %[[S]]
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// No float arithmetic is folded, constants are kept as they are.
// CHECK-LABEL: func @constants
func.func @constants() -> tensor<f32> {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: stablehlo.add %[[A]], %[[A]]
  %1 = stablehlo.add %0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
