// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s -o /dev/null

spmd.mesh @m = <["x"=4, "y"=3]>

// CHECK-LABEL: func.func @one
func.func @one(%arg0: tensor<8x6xf32>) -> tensor<32x6xf32> {
  // CHECK: %[[F:.*]] = spmd.start (%{{.*}}) (%[[A:.*]]: tensor<8x6xf32>) {
  // CHECK-NEXT: %[[G:.*]] = spmd.all_gather %[[A]] [{"x"}, {}] on @m
  // CHECK-NEXT: spmd.return %[[G]] : tensor<32x6xf32>
  // CHECK-NEXT: } : (tensor<8x6xf32>) -> !spmd.future<tensor<32x6xf32>>
  %0 = spmd.start (%arg0) (%a: tensor<8x6xf32>) {
    %g = spmd.all_gather %a [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf32>
    spmd.return %g : tensor<32x6xf32>
  } : (tensor<8x6xf32>) -> !spmd.future<tensor<32x6xf32>>
  // CHECK: spmd.done %[[F]] : <tensor<32x6xf32>> -> tensor<32x6xf32>
  %1 = spmd.done %0 : !spmd.future<tensor<32x6xf32>> -> tensor<32x6xf32>
  return %1 : tensor<32x6xf32>
}

// CHECK-LABEL: func.func @two
func.func @two(%arg0: tensor<8xf32>, %arg1: tensor<6xi32>) {
  // CHECK: } {other.note} : (tensor<8xf32>, tensor<6xi32>) -> !spmd.future<tensor<8xf32>, tensor<6xi32>>
  %0 = spmd.start (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<6xi32>) {
    %r:2 = spmd.all_reduce add %a, %b {"y"} on @m : (tensor<8xf32>, tensor<6xi32>) -> (tensor<8xf32>, tensor<6xi32>)
    spmd.return %r#0, %r#1 : tensor<8xf32>, tensor<6xi32>
  } {other.note} : (tensor<8xf32>, tensor<6xi32>) -> !spmd.future<tensor<8xf32>, tensor<6xi32>>
  // CHECK: spmd.done %{{.*}} : <tensor<8xf32>, tensor<6xi32>> -> tensor<8xf32>, tensor<6xi32>
  %1:2 = spmd.done %0 : <tensor<8xf32>, tensor<6xi32>> -> tensor<8xf32>, tensor<6xi32>
  return
}
