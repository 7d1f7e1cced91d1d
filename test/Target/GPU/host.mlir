// The host's part: launches by name, predicates read from the device, constants and
// copies through the runtime; nothing else touches memory.
// RUN: partita-opt %s --partita-gpu-host | FileCheck %s

// CHECK-DAG: llvm.func @partita_launch(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.func @partita_read(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
// CHECK-DAG: llvm.func @partita_constant(!llvm.ptr, i64, !llvm.ptr, i64) -> !llvm.ptr
// CHECK-NOT: gpu.
// CHECK-NOT: unrealized_conversion_cast
// CHECK:     llvm.func @main
// CHECK:     llvm.call @partita_constant
// CHECK:     llvm.call @partita_launch
// CHECK-NOT: unrealized_conversion_cast
// CHECK:     llvm.return
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %table = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%a = %zero, %b = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i = stablehlo.add %a, %one : tensor<i32>
    %s = stablehlo.multiply %b, %table : tensor<4xf32>
    stablehlo.return %i, %s : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
