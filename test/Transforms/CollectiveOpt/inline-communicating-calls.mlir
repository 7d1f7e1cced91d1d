// RUN: partita-opt %s --spmd-inline-communicating-calls | FileCheck %s

spmd.mesh @m = <["x"=2]>

// What communicates and is called once is inlined, also through another function;
// what is called twice, or only computes, stays a function.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = stablehlo.tanh %arg0
  // CHECK-NEXT: %[[S:.*]] = spmd.all_reduce add %[[T]]
  // CHECK-NEXT: %[[A:.*]] = call @twice(%[[S]])
  // CHECK-NEXT: %[[B:.*]] = call @twice(%[[A]])
  // CHECK-NEXT: call @local(%[[B]])
  %0 = call @outer(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @local(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
// CHECK-NOT: func private @outer
// CHECK-NOT: func private @inner
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %a : tensor<4xf32>
  %1 = call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func private @twice
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = spmd.all_reduce max %a {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func private @local
func.func private @local(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
