// RUN: partita-opt %s --spmd-split-constants | FileCheck %s

spmd.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<8xf32> {
  // A constant read twice: two copies; one read once stays.
  // CHECK: %[[A:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK: %[[B:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NOT: dense<1.0
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  // Scalars are shared; their broadcasts are not, whatever the scalar.
  // CHECK: %[[S:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  // CHECK: %[[S1:.*]] = stablehlo.broadcast_in_dim %[[S]]
  // CHECK: %[[S2:.*]] = stablehlo.broadcast_in_dim %[[S]]
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
  // CHECK: %[[T1:.*]] = stablehlo.broadcast_in_dim %arg1
  // CHECK: %[[T2:.*]] = stablehlo.broadcast_in_dim %arg1
  %t = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.add %arg0, %[[A]]
  %0 = stablehlo.add %arg0, %c : tensor<8xf32>
  // CHECK: stablehlo.multiply %{{.*}}, %[[B]]
  %1 = stablehlo.multiply %0, %c : tensor<8xf32>
  // CHECK: stablehlo.add %{{.*}}, %[[S1]]
  %2 = stablehlo.add %1, %b : tensor<8xf32>
  // CHECK: stablehlo.add %{{.*}}, %[[S2]]
  %3 = stablehlo.add %2, %b : tensor<8xf32>
  // CHECK: stablehlo.subtract %[[T1]], %
  %4 = stablehlo.subtract %t, %3 : tensor<8xf32>
  // CHECK: stablehlo.subtract %[[T2]], %
  %5 = stablehlo.subtract %t, %4 : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// An expression of constants goes as a whole; what one copy reads twice it
// still reads twice. Nothing is folded.
// CHECK-LABEL: func.func @expression
func.func @expression(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[I1:.*]] = stablehlo.iota dim = 0
  // CHECK: %[[I2:.*]] = stablehlo.iota dim = 0
  // CHECK: %[[M1:.*]] = stablehlo.multiply %[[I1]], %[[I1]]
  // CHECK: %[[M2:.*]] = stablehlo.multiply %[[I2]], %[[I2]]
  // CHECK: %[[N1:.*]] = stablehlo.negate %[[M1]]
  // CHECK: %[[N2:.*]] = stablehlo.negate %[[M2]]
  %i = stablehlo.iota dim = 0 : tensor<4x4xf32>
  %m = stablehlo.multiply %i, %i : tensor<4x4xf32>
  %n = stablehlo.negate %m : tensor<4x4xf32>
  // CHECK: stablehlo.add %arg0, %[[N1]]
  %0 = stablehlo.add %arg0, %n : tensor<4x4xf32>
  // CHECK: stablehlo.add %{{.*}}, %[[N2]]
  %1 = stablehlo.add %0, %n : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Ties go with the copies; a use in a region counts like any other.
// CHECK-LABEL: func.func @ties
func.func @ties(%arg0: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.constant
  // CHECK: spmd.group %[[A]] id = 1
  // CHECK: %[[B:.*]] = stablehlo.constant
  // CHECK: spmd.group %[[B]] id = 1
  // CHECK-NOT: spmd.group
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  spmd.group %c id = 1 : tensor<8xf32>
  %0 = stablehlo.add %arg0, %c : tensor<8xf32>
  // CHECK: "stablehlo.if"
  %1 = "stablehlo.if"(%p) ({
    // CHECK: stablehlo.return %[[B]]
    stablehlo.return %c : tensor<8xf32>
  }, {
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
