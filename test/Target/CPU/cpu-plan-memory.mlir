// RUN: partita-opt --cpu-plan-memory %s | FileCheck %s

// Two buffers that do not live at the same time share memory; both live beside
// neither more than once. A buffer that is used in a loop lives to its end.
// CHECK-LABEL: func @main
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<8192xi8>) attributes {partita.arena_bytes = 8192 : i64}
func.func @main(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  // CHECK-DAG: memref.view %[[ARENA]]{{.*}} to memref<1024xf32>
  %a = memref.alloc() : memref<1024xf32>
  memref.copy %in, %a : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  memref.copy %a, %b : memref<1024xf32> to memref<1024xf32>
  %c = memref.alloc() : memref<1024xf32>
  memref.copy %b, %c : memref<1024xf32> to memref<1024xf32>
  memref.copy %c, %out : memref<1024xf32> to memref<1024xf32>
  // CHECK-NOT: memref.alloc
  return
}

// A callee's arena is a buffer of the caller.
// CHECK-LABEL: func @caller
// CHECK-SAME: memref<4096xi8>
// CHECK: call @callee(%{{.*}}, %{{.*}}) : (memref<1024xf32>, memref<4096xi8>) -> ()
func.func @caller(%x: memref<1024xf32>) {
  call @callee(%x) : (memref<1024xf32>) -> ()
  return
}
func.func private @callee(%x: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  memref.copy %x, %a : memref<1024xf32> to memref<1024xf32>
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  return
}
