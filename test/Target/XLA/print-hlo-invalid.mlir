// What HLO text cannot say is refused by name; nothing is printed.
// RUN: split-file %s %t
// RUN: not partita-translate --spmd-to-hlo %t/function.mlir 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not partita-translate --spmd-to-hlo %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not partita-translate --spmd-to-hlo %t/capture.mlir 2>&1 | FileCheck %s --check-prefix=CAPTURE
// RUN: not partita-translate --spmd-to-hlo %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL

// FUNCTION-NOT: HloModule
// FUNCTION: function.mlir:2:8: error: 'chlo.lgamma' op has no HLO form here
// FUNCTION: note: fix: use --spmd-to-manual, in which XLA itself expands the op
// FUNCTION-NOT: HloModule

// TYPE: error: {{.*}} type 'tensor<?xf32>', which HLO text has no form for
// TYPE: note: fix: use static shapes and the element types of XLA

// CAPTURE: error: 'stablehlo.add' op uses a value from outside the computation it is in
// CAPTURE: note: it is defined here
// CAPTURE: note: fix: pass the value to the op as an operand

// CALL: error: 'func.call' op calls @f, which has no body
// CALL: note: fix: define the function in the module

//--- function.mlir
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<2xf32>}) -> tensor<2xf32> {
  %0 = chlo.lgamma %arg0 : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- type.mlir
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<2xf32>}, %arg1: tensor<1xi32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.reshape %0 : (tensor<?xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

//--- capture.mlir
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<2xf32>}, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- call.mlir
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<2xf32>}) -> tensor<2xf32> {
  %0 = call @f(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
