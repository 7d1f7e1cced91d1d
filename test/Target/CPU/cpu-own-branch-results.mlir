// A branch copies what it returns from outside, and what it returns twice; what is
// made in it and returned once stays.
// RUN: partita-opt %s --cpu-own-branch-results | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[P:.*]]: i1, %[[A:.*]]: tensor<4xf32>)
// CHECK:         scf.if %[[P]]
// CHECK:           %[[MADE:.*]] = spmd.runtime_call "partita_sort"
// CHECK:           %[[OUTER:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK:           scf.yield %[[MADE]], %[[OUTER]]
// CHECK:         } else {
// CHECK:           %[[TWICE:.*]] = spmd.runtime_call "partita_sort"
// CHECK:           %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[TWICE]])
// CHECK:           scf.yield %[[TWICE]], %[[COPY]]
func.func @main(%p: i1, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %v = spmd.runtime_call "partita_sort" ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) descriptor = [1] -> tensor<4xf32>
    scf.yield %v, %a : tensor<4xf32>, tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %v = spmd.runtime_call "partita_sort" ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) descriptor = [1] -> tensor<4xf32>
    scf.yield %v, %v : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
