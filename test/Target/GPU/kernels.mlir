// Kernels are coalesced: the innermost index is the thread's, blocks are whole warps.
// RUN: partita-opt %s --partita-gpu-kernels --split-input-file | FileCheck %s

// Two results over the same elements: one kernel, one load of %x, no division.
// CHECK-LABEL: gpu.func @maps_0
// CHECK-SAME:  memref<3000xf32>
// CHECK-SAME:  known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 12, 1, 1>
// CHECK:       %[[B:.*]] = gpu.block_id x
// CHECK:       %[[T:.*]] = gpu.thread_id x
// CHECK:       %[[S:.*]] = arith.muli %[[B]], %c256
// CHECK:       %[[I:.*]] = arith.addi %[[S]], %[[T]]
// CHECK:       %[[IN:.*]] = arith.cmpi ult, %[[I]], %c3000
// CHECK:       scf.if %[[IN]]
// CHECK-NOT:   arith.remui
// CHECK:         memref.load %{{.*}}[%[[I]]]
// CHECK:         memref.store %{{.*}}[%[[I]]]
// CHECK:         memref.store %{{.*}}[%[[I]]]
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @main(%x: tensor<30x100xf32>) -> (tensor<30x100xf32>, tensor<30x100xf32>) {
  %0 = stablehlo.tanh %x : tensor<30x100xf32>
  %1 = stablehlo.multiply %0, %x : tensor<30x100xf32>
  return %0, %1 : tensor<30x100xf32>, tensor<30x100xf32>
}

// -----

// A broadcast along rows: the thread's number modulo the row is the last index.
// CHECK-LABEL: gpu.func @map_0
// CHECK-SAME:  %[[X:.*]]: memref<30x100xf32>, %[[ROW:.*]]: memref<100xf32>
// CHECK:       %[[LAST:.*]] = arith.remui %{{.*}}, %c100_i32 : i32
// CHECK:       %[[J:.*]] = arith.index_castui %[[LAST]]
// CHECK:       memref.load %[[X]][%{{.*}}, %[[J]]]
// CHECK:       memref.load %[[ROW]][%[[J]]]
// CHECK:       memref.store %{{.*}}[%{{.*}}, %[[J]]]
func.func @main(%x: tensor<30x100xf32>, %row: tensor<100xf32>) -> tensor<30x100xf32> {
  %0 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<100xf32>) -> tensor<30x100xf32>
  %1 = stablehlo.add %x, %0 : tensor<30x100xf32>
  return %1 : tensor<30x100xf32>
}

// -----

// A scalar: one warp, no block of one thread.
// CHECK-LABEL: gpu.func @map_0
// CHECK-SAME:  known_block_size = array<i32: 32, 1, 1>
// CHECK:       arith.cmpi ult, %{{.*}}, %c1
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.exponential %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The position of a dynamic slice is read by the kernel, not by the host.
// CHECK-LABEL: gpu.func @map_0
// CHECK:       memref.load %{{.*}}[] : memref<i32>
// CHECK-LABEL: func.func @main
// CHECK-NOT:   memref.load
// CHECK:       gpu.launch_func
func.func @main(%x: tensor<64x10xf32>, %i: tensor<i32>) -> tensor<8x10xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [8, 10] : (tensor<64x10xf32>, tensor<i32>, tensor<i32>) -> tensor<8x10xf32>
  return %0 : tensor<8x10xf32>
}

// -----

// Equal work of two layers is one kernel, launched twice.
// CHECK:     gpu.module
// CHECK-COUNT-1: gpu.func
// CHECK-NOT: gpu.func
// CHECK:     func.func @main
// CHECK:     gpu.launch_func @kernels::@[[K:.*]] blocks
// CHECK:     gpu.launch_func @kernels::@[[K]] blocks
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.tanh %0 : tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.tanh %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
