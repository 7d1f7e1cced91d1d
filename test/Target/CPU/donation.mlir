// An update in place of a donated cache copies nothing: main writes the part only.
// RUN: partita-opt --partita-to=lowered --mlir-print-ir-after=cpu-place-results %s -o %t 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[CACHE:[a-z0-9]+]]: memref<64x16xf32>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<64x16xf32>
// CHECK-NOT: memref.alloc(){{.*}}64x16
// CHECK-NOT: %[[OUT]]
// CHECK: %[[PART:.*]] = memref.subview %[[CACHE]]
// CHECK: memref<1x16xf32
// CHECK-NOT: %[[OUT]]
// CHECK: return

// The machine code gives the same, and peak memory counts the cache once: 64 * 16 * 4 for
// it, 16 * 4 for the new row, 4 for the position, 64 for the position's copy.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s --check-prefix=PEAK
// PEAK: equal
// PEAK: peak 4228 bytes
func.func @main(%cache: tensor<64x16xf32> {tf.aliasing_output = 0 : i32},
                %row: tensor<1x16xf32>, %at: tensor<i32>) -> tensor<64x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %row, %at, %zero : (tensor<64x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
