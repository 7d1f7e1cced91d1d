// RUN: partita-opt %s --spmd-merge-functions | FileCheck %s

// Clones that came out equal are one function again, callers of equal callees
// too; their locations and names do not count.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    call @outer(
// CHECK-NEXT:    call @outer(
// CHECK-NEXT:    call @other_body(
// CHECK-NEXT:    call @other_type(
// CHECK-NEXT:    call @other_attribute(
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>) {
  %0 = call @outer(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @outer_0(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @other_body(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @other_type(%b) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = call @other_attribute(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK:       func.func private @outer(
// CHECK-NEXT:    call @inner(
// CHECK-NOT:   @outer_0
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @outer_0(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner_0(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK:       func.func private @inner(
// CHECK-NOT:   @inner_0
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner_0(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32> loc("elsewhere")
  return %0 : tensor<4xf32>
}

// What differs in its body, its type or its attributes stays.
// CHECK:       func.func private @other_body
func.func private @other_body(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK:       func.func private @other_type
func.func private @other_type(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK:       func.func private @other_attribute
func.func private @other_attribute(%a: tensor<4xf32> {test.kept}) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A public function may be called from outside: it stays though it is equal.
// CHECK:       func.func @public
func.func @public(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
