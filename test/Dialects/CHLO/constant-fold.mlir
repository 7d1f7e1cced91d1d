// Constants are constant-like: equal ones become one, and unused pure ops go.
// RUN: partita-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @fold
// CHECK-NEXT: %[[C:.*]] = chlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @fold(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = chlo.constant dense<1.0> : tensor<4xf32>
  %1 = chlo.constant dense<1.0> : tensor<4xf32>
  %2 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.broadcast_add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
