// RUN: partita-opt %s --spmd-combine-collectives | FileCheck %s
// RUN: partita-opt %s --spmd-combine-collectives="max-bytes=60" | FileCheck %s --check-prefix=CAP
// RUN: partita-opt %s --spmd-combine-collectives="wait=false" | FileCheck %s --check-prefix=EAGER
// RUN: partita-opt %s --spmd-combine-collectives --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

spmd.mesh @m = <["x"=2, "y"=3]>

// Two sums that are read at the end become one; the one of another kind and the
// one over another axis stay alone.
// CHECK-LABEL: func @sums
// CAP-LABEL: func @sums
// CAP-COUNT-4: spmd.all_reduce
// REMARK: remark: [Passed] Combined | Category:collectives | Reason="spmd.all_reduce of 2 values in one launch: 88 bytes of operands,
func.func @sums(%a: tensor<8x2xf32>, %b: tensor<6xf32>) -> (tensor<8x2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  // CHECK: %[[S:.*]]:2 = spmd.all_reduce add %arg0, %arg1 {"y"} on @m : (tensor<8x2xf32>, tensor<6xf32>) -> (tensor<8x2xf32>, tensor<6xf32>)
  // CHECK: %[[M:.*]] = spmd.all_reduce max %arg1 {"y"}
  // CHECK: %[[X:.*]] = spmd.all_reduce add %arg1 {"x"}
  // CHECK: return %[[S]]#0, %[[S]]#1, %[[M]], %[[X]]
  %0 = spmd.all_reduce add %a {"y"} on @m : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %1 = spmd.all_reduce max %b {"y"} on @m : (tensor<6xf32>) -> tensor<6xf32>
  %2 = spmd.all_reduce add %b {"y"} on @m : (tensor<6xf32>) -> tensor<6xf32>
  %3 = spmd.all_reduce add %b {"x"} on @m : (tensor<6xf32>) -> tensor<6xf32>
  return %0, %2, %1, %3 : tensor<8x2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// What depends on another, here through the tanh, can't join it; the third can
// join either, and joins the one that is read first.
// CHECK-LABEL: func @chain
func.func @chain(%a: tensor<8xf32>, %b: tensor<6xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  // CHECK: %[[S:.*]]:2 = spmd.all_reduce add %arg0, %arg1
  // CHECK: %[[T:.*]] = stablehlo.tanh %[[S]]#0
  // CHECK: %[[U:.*]] = spmd.all_reduce add %[[T]]
  // CHECK: return %[[U]], %[[S]]#1
  %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.tanh %0 : tensor<8xf32>
  %2 = spmd.all_reduce add %1 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  %3 = spmd.all_reduce add %b {"x"} on @m : (tensor<6xf32>) -> tensor<6xf32>
  return %2, %3 : tensor<8xf32>, tensor<6xf32>
}

// One that takes what another gives, at once.
// CHECK-LABEL: func @direct
// CHECK: %[[S:.*]] = spmd.permute %arg0
// CHECK: spmd.permute %[[S]]
func.func @direct(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = spmd.permute %a {"y"} shift = [1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  %1 = spmd.permute %0 {"y"} shift = [1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Scatters along rows go together as vectors, whatever their rank; the one along
// columns does not. A reduction stands as early as it can.
// CHECK-LABEL: func @scatters
func.func @scatters(%a: tensor<1x6x5xf32>, %b: tensor<9xf32>, %c: tensor<4x6xf32>) -> (tensor<1x2x5xf32>, tensor<3xf32>, tensor<4x2xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<1x6x5xf32>) -> tensor<30xf32>
  // CHECK: %[[S:.*]]:2 = spmd.reduce_scatter add %[[A]], %arg1 [{"y"}] on @m : (tensor<30xf32>, tensor<9xf32>) -> (tensor<10xf32>, tensor<3xf32>)
  // CHECK: %[[R:.*]] = stablehlo.reshape %[[S]]#0 : (tensor<10xf32>) -> tensor<1x2x5xf32>
  // CHECK: spmd.reduce_scatter add %arg2 [{}, {"y"}]
  // CHECK: return %[[R]], %[[S]]#1
  %0 = spmd.reduce_scatter add %a [{}, {"y"}, {}] on @m : (tensor<1x6x5xf32>) -> tensor<1x2x5xf32>
  %1 = spmd.reduce_scatter add %b [{"y"}] on @m : (tensor<9xf32>) -> tensor<3xf32>
  %2 = spmd.reduce_scatter add %c [{}, {"y"}] on @m : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<1x2x5xf32>, tensor<3xf32>, tensor<4x2xf32>
}

// Gathers stand where the first of them is read.
// CHECK-LABEL: func @gathers
func.func @gathers(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<8x3xf32>) {
  // CHECK-NEXT: stablehlo.tanh
  // CHECK-NEXT: %[[S:.*]]:2 = spmd.all_gather %arg0, %arg1 [{"x"}, {}]
  // CHECK-NEXT: stablehlo.add %[[S]]#0
  %0 = spmd.all_gather %a [{"x"}, {}] on @m : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = spmd.all_gather %b [{"x"}, {}] on @m : (tensor<4x3xf32>) -> tensor<8x3xf32>
  %2 = stablehlo.tanh %b : tensor<4x3xf32>
  %3 = stablehlo.add %0, %2 : tensor<4x3xf32>
  return %3, %1 : tensor<4x3xf32>, tensor<8x3xf32>
}

// CHECK-LABEL: func @exchanges
// CHECK: spmd.all_to_all %arg0, %arg1 [{"x"}: 0 -> 1]
func.func @exchanges(%a: tensor<2x6xf32>, %b: tensor<5x4xf32>) -> (tensor<4x3xf32>, tensor<10x2xf32>) {
  %0 = spmd.all_to_all %a [{"x"}: 0 -> 1] on @m : (tensor<2x6xf32>) -> tensor<4x3xf32>
  %1 = spmd.all_to_all %b [{"x"}: 0 -> 1] on @m : (tensor<5x4xf32>) -> tensor<10x2xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<10x2xf32>
}

// 32 MB and 24 MB: each could be hidden by the dot between them, longer than a
// launch takes. Where nothing overlaps anyway, they go together.
// REMARK: remark: [Missed] NotCombined | Category:collectives | Reason="spmd.all_reduce is not combined with 1 other: that would save {{.*}} us, and the smaller part might wait {{.*}} us for the larger"
// CHECK-LABEL: func @large
// CHECK: spmd.all_reduce add %arg0
// CHECK: spmd.all_reduce add %{{.*}}
// EAGER-LABEL: func @large
// EAGER-NOT: spmd.all_reduce add %arg0 {
// EAGER: spmd.all_reduce add %arg0, %
func.func @large(%a: tensor<2048x1024xf32>, %b: tensor<1024x1024xf32>) -> (tensor<2048x1024xf32>, tensor<1024x1024xf32>) {
  %0 = spmd.all_reduce add %a {"y"} on @m : (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %3 = spmd.all_reduce add %2 {"y"} on @m : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0, %3 : tensor<2048x1024xf32>, tensor<1024x1024xf32>
}
