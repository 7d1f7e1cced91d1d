// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of if, case and while.

// Both regions of a while name their arguments alike.
// CHECK-LABEL: func @while
func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[W:.*]]:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32> attributes {note}
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.compare LT, %iterArg, %arg0, SIGNED
  // CHECK-NEXT: stablehlo.return
  // CHECK-NEXT: } do {
  // CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32> attributes {note}
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.tanh %y : tensor<4xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
  }
  // CHECK: return %[[W]]#1
  return %0#1 : tensor<4xf32>
}

// A loop that carries nothing.
// CHECK-LABEL: func @while_nothing
func.func @while_nothing(%p: tensor<i1>) {
  // CHECK-NEXT: stablehlo.while()
  stablehlo.while()
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// CHECK-LABEL: func @branches
func.func @branches(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK-NEXT: "stablehlo.if"(%{{.*}}) ({
  // CHECK-NEXT: stablehlo.return %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: }, {
  // CHECK: }) : (tensor<i1>) -> tensor<4xf32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK-NEXT: "stablehlo.case"(%{{.*}}) ({
  %2:2 = "stablehlo.case"(%i) ({
    stablehlo.return %x, %i : tensor<4xf32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
