// RUN: partita-opt --cpu-outline-kernels --split-input-file %s | FileCheck %s

// Equal loops are one function, however their buffers are called.
// CHECK-LABEL: func.func @equal
// CHECK: call @partita_kernel_0(%arg0, %arg1) : (memref<8xf32>, memref<8xf32>) -> ()
// CHECK: call @partita_kernel_0(%arg1, %arg2) : (memref<8xf32>, memref<8xf32>) -> ()
// CHECK-NOT: linalg
// CHECK: func.func private @partita_kernel_0(%arg0: memref<8xf32>, %arg1: memref<8xf32>) attributes {no_inline, partita.body, partita.kernel}
// CHECK: linalg.generic
// CHECK-NOT: @partita_kernel_1
#id = affine_map<(d0) -> (d0)>
func.func @equal(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A number in which calls differ is an argument, one that is the same everywhere
// is inside.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[TWO:.*]] = arith.constant 2.0{{.*}} : f32
// CHECK-NEXT: call @partita_kernel_0(%arg0, %[[TWO]]) : (memref<8xf32>, f32) -> ()
// CHECK: %[[THREE:.*]] = arith.constant 3.0{{.*}} : f32
// CHECK: call @partita_kernel_0(%arg0, %[[THREE]]) : (memref<8xf32>, f32) -> ()
// CHECK: func.func private @partita_kernel_0(%arg0: memref<8xf32>, %arg1: f32)
// CHECK: %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK: linalg.generic
// CHECK: arith.mulf %{{.*}}, %arg1
// CHECK: arith.addf %{{.*}}, %[[ONE]]
#id = affine_map<(d0) -> (d0)>
func.func @numbers(%a: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%x: f32):
    %two = arith.constant 2.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.mulf %x, %two : f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%x: f32):
    %three = arith.constant 3.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.mulf %x, %three : f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Blocks of a larger value have one function, which takes their offset. A fill
// goes with the reduction that it begins.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata
// CHECK: call @partita_kernel_0(%arg1, %[[BASE]], %[[OFFSET]]) : (memref<f32>, memref<f32>, index) -> ()
// CHECK: call @partita_kernel_0
// CHECK: func.func private @partita_kernel_0
// CHECK: memref.reinterpret_cast %arg1 to offset: [%arg2], sizes: [4], strides: [2]
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-NOT: @partita_kernel_1
#in = affine_map<(d0) -> (d0)>
#out = affine_map<(d0) -> ()>
func.func @blocks(%a: memref<16xf32>, %sum: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %0 = memref.subview %a[0] [4] [2] : memref<16xf32> to memref<4xf32, strided<[2]>>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%0 : memref<4xf32, strided<[2]>>) outs(%sum : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  %1 = memref.subview %a[8] [4] [2] : memref<16xf32> to memref<4xf32, strided<[2], offset: 8>>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%1 : memref<4xf32, strided<[2], offset: 8>>) outs(%sum : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Loops too: the offset in the buffer is an argument, bounds are not, the value that
// a loop carries out is a result, and loops within loops stay there.
// CHECK-LABEL: func.func @loops
// CHECK: %[[SUM:.*]] = call @partita_kernel_0(%arg0, %{{.*}}) : (memref<64xf32>, {{.*}}) -> f32
// CHECK: memref.store %[[SUM]]
// CHECK: call @partita_kernel_0
// CHECK: call @partita_kernel_1
// CHECK: scf.while
// CHECK: call @partita_kernel_2
// CHECK-NOT: @partita_kernel_3
func.func @loops(%a: memref<64xf32>, %out: memref<3xf32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %at = arith.addi %i, %c8 : index
    %x = memref.load %a[%at] : memref<64xf32>
    %s = arith.addf %sum, %x : f32
    scf.yield %s : f32
  }
  memref.store %0, %out[%c0] : memref<3xf32>
  %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %at = arith.addi %i, %c32 : index
    %x = memref.load %a[%at] : memref<64xf32>
    %s = arith.addf %sum, %x : f32
    scf.yield %s : f32
  }
  memref.store %1, %out[%c1] : memref<3xf32>
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %0) -> f32 {
    %at = arith.addi %i, %c32 : index
    %x = memref.load %a[%at] : memref<64xf32>
    %s = arith.addf %sum, %x : f32
    scf.yield %s : f32
  }
  memref.store %2, %out[%c1] : memref<3xf32>
  scf.while : () -> () {
    %k = memref.load %n[%c0] : memref<1xi32>
    %c = arith.cmpi eq, %k, %k : i32
    scf.condition(%c)
  } do {
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        memref.store %zero, %a[%j] : memref<64xf32>
      }
    }
    scf.yield
  }
  return
}
