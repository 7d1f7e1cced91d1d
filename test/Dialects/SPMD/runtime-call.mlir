// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s

// On tensors each output has a result; on memrefs there are none.
// CHECK-LABEL: func @sort
func.func @sort(%a: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: spmd.runtime_call "partita_sort" ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) descriptor = [1, 8] body = @less -> tensor<8xf32>
  %0 = spmd.runtime_call "partita_sort" ins(%a : tensor<8xf32>) outs(%d : tensor<8xf32>) descriptor = [1, 8] body = @less -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: memref<8xf32>, %d: memref<8xf32>) {
  // CHECK: spmd.runtime_call "partita_all_reduce" communicates ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>) descriptor = [1]
  spmd.runtime_call "partita_all_reduce" communicates ins(%a : memref<8xf32>) outs(%d : memref<8xf32>) descriptor = [1]
  return
}
