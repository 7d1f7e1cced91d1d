// RUN: partita-opt --split-input-file --cpu-lower-to-loops %s | FileCheck %s

// Rows of a softmax: one loop over rows, three inside; the maximum and the sum are
// values, and the buffers that held them are gone.
// CHECK-LABEL: func @softmax
// CHECK-NOT: memref.alloc() : memref<8xf32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK: %[[MAX:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK: } {partita.parallel}
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.subf %{{.*}}, %[[MAX]]
// CHECK: math.exp
// CHECK: memref.store
// CHECK: arith.addf {{.*}} fastmath<reassoc>
// CHECK: } {partita.parallel}
// CHECK: scf.for
// CHECK: arith.divf %{{.*}}, %[[SUM]]
// CHECK: } {partita.parallel}
// CHECK: } {partita.kernel}
// CHECK-NOT: scf.for
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @softmax(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<8xf32>
  %s = memref.alloc() : memref<8xf32>
  %e = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%low : f32) outs(%m : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x32xf32>) outs(%m : memref<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.maximumf %c, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : memref<8x32xf32>, memref<8xf32>) outs(%e : memref<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<8x32xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %c, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<8x32xf32>, memref<8xf32>) outs(%y : memref<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A chain over two dimensions is one loop, what is between needs no memory.
// CHECK-LABEL: func @chain
// CHECK-NOT: memref.alloc
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c256
// CHECK: arith.mulf
// CHECK-NOT: memref.store
// CHECK: arith.addf
// CHECK: memref.store
// CHECK: } {partita.kernel, partita.parallel}
// CHECK-NOT: scf.for
#all = affine_map<(i, j) -> (i, j)>
func.func @chain(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
  %t = memref.alloc() : memref<8x32xf32>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x32xf32>) outs(%t : memref<8x32xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%t, %x : memref<8x32xf32>, memref<8x32xf32>) outs(%y : memref<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What the second op reads is not what the first wrote in the same iteration: two nests.
// CHECK-LABEL: func @shifted
// CHECK: } {partita.kernel, partita.parallel}
// CHECK: scf.for
// CHECK: } {partita.kernel, partita.parallel}
#id = affine_map<(i) -> (i)>
func.func @shifted(%x: memref<64xf32>, %t: memref<64xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  %part = memref.subview %t[16] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 16>>
  %first = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%part, %first : memref<32xf32, strided<[1], offset: 16>>, memref<32xf32, strided<[1]>>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Columns: the parallel loop is innermost, eight rows at a time.
// CHECK-LABEL: func @columns
// CHECK: scf.for %{{.*}} = %{{.*}} to %c16{{.*}} step %c8
// CHECK: scf.for %{{.*}} to %c32
// CHECK-COUNT-8: arith.addf
// CHECK: memref.store
// CHECK: } {partita.parallel}
// CHECK: scf.for %{{.*}} = %c16{{.*}} to %c17
#all = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @columns(%x: memref<17x32xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<17x32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %c, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A transpose goes in tiles of 32 x 32.
// CHECK-LABEL: func @transpose
// CHECK: scf.for %{{.*}} to %c2
// CHECK: scf.for %{{.*}} to %c4
// CHECK: scf.for %{{.*}} to %c32
// CHECK: scf.for %{{.*}} to %c32
#from = affine_map<(i, j) -> (j, i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @transpose(%x: memref<128x64xf32>, %y: memref<64x128xf32>) {
  linalg.generic {indexing_maps = [#from, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<128x64xf32>) outs(%y : memref<64x128xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  }
  return
}
