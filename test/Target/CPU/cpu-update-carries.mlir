// Values computed anew and updates of the carried value itself are not copied
// before they are written back; what may share a buffer is.
// RUN: partita-opt %s --cpu-update-carries | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         scf.condition
// CHECK:       ^bb0(%[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[C:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>):
// CHECK:         %[[V:.*]] = spmd.runtime_call "partita_sort"
// CHECK:         %[[I:.*]] = tensor.insert_slice %{{.*}} into %[[A]]
// CHECK:         %[[J:.*]] = tensor.insert_slice %{{.*}} into %[[A]]
// CHECK-DAG:     %[[BCOPY:.*]] = bufferization.alloc_tensor() copy(%[[J]])
// CHECK-DAG:     %[[DCOPY:.*]] = bufferization.alloc_tensor() copy(%[[E]])
// CHECK-DAG:     bufferization.materialize_in_destination %[[I]] in %[[A]]
// CHECK-DAG:     bufferization.materialize_in_destination %[[BCOPY]] in %[[B]]
// CHECK-DAG:     bufferization.materialize_in_destination %[[V]] in %[[C]]
// CHECK-DAG:     bufferization.materialize_in_destination %[[DCOPY]] in %[[D]]
func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>, %p: i1) -> tensor<8x4xf32> {
  %0:5 = scf.while (%arg0 = %a, %arg1 = %b, %arg2 = %c, %arg3 = %c, %arg4 = %c) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %arg0, %arg1, %arg2, %arg3, %arg4 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %v = spmd.runtime_call "partita_sort" ins(%arg2 : tensor<4xf32>) outs(%e : tensor<4xf32>) descriptor = [1] -> tensor<4xf32>
    %i = tensor.insert_slice %v into %arg0[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    %j = tensor.insert_slice %v into %arg0[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    %c0 = bufferization.alloc_tensor() copy(%i) : tensor<8x4xf32>
    %c1 = bufferization.alloc_tensor() copy(%j) : tensor<8x4xf32>
    %c2 = bufferization.alloc_tensor() copy(%v) : tensor<4xf32>
    %c3 = bufferization.alloc_tensor() copy(%arg4) : tensor<4xf32>
    %m0 = bufferization.materialize_in_destination %c0 in %arg0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %m1 = bufferization.materialize_in_destination %c1 in %arg1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %m2 = bufferization.materialize_in_destination %c2 in %arg2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m3 = bufferization.materialize_in_destination %c3 in %arg3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m0, %m1, %m2, %m3, %arg4 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<8x4xf32>
}
