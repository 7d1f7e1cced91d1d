// interpreter.print: the operand's name and every element, on each device.
// RUN: partita-translate --interpret %s | FileCheck %s

func.func @show() -> tensor<2xi32> {
  %unused = stablehlo.constant dense<1.5> : tensor<f32>
  %0:2 = stablehlo.optimization_barrier %unused, %unused : tensor<f32>, tensor<f32>
  %1 = stablehlo.iota dim = 0 : tensor<2xi32>
  interpreter.print %0#1 : tensor<f32>
  interpreter.print %1 : tensor<2xi32>
  return %1 : tensor<2xi32>
}

// CHECK:      %0#1 = tensor<f32> {1.500000e+00}
// CHECK-NEXT: %1 = tensor<2xi32> {
// CHECK-NEXT:   [0, 1]
// CHECK-NEXT: }
// CHECK-NEXT: tensor<2xi32> {
