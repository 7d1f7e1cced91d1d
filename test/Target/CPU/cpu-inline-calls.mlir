// Small functions go where they are called; larger ones do if that is one place.
// RUN: partita-opt %s --cpu-inline-calls | FileCheck %s --implicit-check-not=@once --implicit-check-not=@small

// CHECK-LABEL: func.func @main
// CHECK:         spmd.runtime_call "partita_sort"
// CHECK-COUNT-2: call @twice
// CHECK-COUNT-2: tensor.insert
func.func @main(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %0 = call @once(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @small(%2, %v) : (tensor<4xf32>, f32) -> tensor<4xf32>
  %4 = call @small(%3, %v) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
func.func private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = spmd.runtime_call "partita_sort" ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) descriptor = [1] -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @twice
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = spmd.runtime_call "partita_sort" ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) descriptor = [1] -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @small(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %v into %x[%c0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
