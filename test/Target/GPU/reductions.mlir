// One kernel per kind of reduction; the program's initial value enters once, and its
// fill makes no kernel.
// RUN: partita-opt %S/Inputs/reductions.mlir --partita-gpu-kernels | FileCheck %s
// RUN: partita-opt %S/Inputs/reductions.mlir --partita-gpu-emulate \
// RUN:   | FileCheck %s --check-prefix=EMULATED

// CHECK-NOT: known_block_size = array<i32: 1, 1, 1>
// CHECK:     gpu.func @reduce_thread_{{.*}}memref<40x5xf32>
// CHECK:     gpu.func @reduce_warp_{{.*}}memref<9x100xf32>
// CHECK:       gpu.shuffle xor
// CHECK:     gpu.func @reduce_block_{{.*}}memref<3x4096xf64>
// CHECK-SAME:  workgroup
// CHECK:       gpu.barrier
// CHECK:     gpu.func @reduce_parts_{{.*}}memref<70000xi32>
// CHECK:     gpu.func @reduce_{{(warp|thread)}}_{{.*}}memref<1x{{[0-9]+}}xi32>
// CHECK:     gpu.func @reduce_thread_{{.*}}memref<90x70xf32>
// CHECK:     gpu.func @reduce_columns_{{.*}}memref<5000x3xi64>
// CHECK-LABEL: func.func {{.*}}@main
// CHECK-NOT: linalg.

// EMULATED-NOT: gpu.
// EMULATED-DAG: llvm.func @emulated_reduce_warp
// EMULATED-DAG: llvm.func @emulated_reduce_block
