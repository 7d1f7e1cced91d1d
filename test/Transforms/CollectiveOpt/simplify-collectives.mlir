// RUN: partita-opt %s --spmd-simplify-collectives | FileCheck %s
// RUN: partita-opt %s --spmd-simplify-collectives --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not partita-opt %s --spmd-simplify-collectives=machine=eniac 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: unknown machine 'eniac'
// MACHINE: note: fix: use one of tpu-v5e, {{.*}}cpu

spmd.mesh @m = <["x"=2, "y"=6]>
spmd.mesh @n = <["x"=2, "y"=4]>

// A slice of a sum is a scatter; the axes that the slice does not cut are summed
// on the block.
// REMARK: remark: [Passed] Simplified | Category:collectives | Reason="a reduce_scatter for all_slice of all_reduce: 132 instead of 264 bytes
// CHECK-LABEL: func @slice_of_sum
func.func @slice_of_sum(%a: tensor<36xf32>) -> tensor<3xf32> {
  // CHECK: %[[S:.*]] = spmd.reduce_scatter add %arg0 [{"x", "y"}] on @m : (tensor<36xf32>) -> tensor<3xf32>
  // CHECK-NEXT: return %[[S]]
  %0 = spmd.all_reduce add %a {"x", "y"} on @m : (tensor<36xf32>) -> tensor<36xf32>
  %1 = spmd.all_slice %0 [{"x", "y"}] on @m : (tensor<36xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func @slice_of_sum_by_sub_axis
func.func @slice_of_sum_by_sub_axis(%a: tensor<4096xf32>) -> tensor<2048xf32> {
  // CHECK: %[[S:.*]] = spmd.reduce_scatter add %arg0 [{"y":(1)2}] on @m
  // CHECK: spmd.all_reduce add %[[S]] {"x", "y":(2)3} on @m : (tensor<2048xf32>)
  %0 = spmd.all_reduce add %a {"x", "y"} on @m : (tensor<4096xf32>) -> tensor<4096xf32>
  %1 = spmd.all_slice %0 [{"y":(1)2}] on @m : (tensor<4096xf32>) -> tensor<2048xf32>
  return %1 : tensor<2048xf32>
}

// Not where blocks are uneven (the last would be padded), nor where another
// reads the sum, nor along an axis that was not summed.
// CHECK-LABEL: func @slice_kept
// CHECK-NOT: reduce_scatter
func.func @slice_kept(%a: tensor<35xf32>, %b: tensor<36xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<36xf32>, tensor<18xf32>) {
  %0 = spmd.all_reduce add %a {"y"} on @m : (tensor<35xf32>) -> tensor<35xf32>
  %1 = spmd.all_slice %0 [{"y"}] on @m : (tensor<35xf32>) -> tensor<6xf32>
  %2 = spmd.all_reduce add %b {"y"} on @m : (tensor<36xf32>) -> tensor<36xf32>
  %3 = spmd.all_slice %2 [{"y"}] on @m : (tensor<36xf32>) -> tensor<6xf32>
  %4 = spmd.all_reduce max %b {"y"} on @m : (tensor<36xf32>) -> tensor<36xf32>
  %5 = spmd.all_slice %4 [{"x"}] on @m : (tensor<36xf32>) -> tensor<18xf32>
  return %1, %3, %2, %5 : tensor<6xf32>, tensor<6xf32>, tensor<36xf32>, tensor<18xf32>
}

// CHECK-LABEL: func @slice_of_gather
func.func @slice_of_gather(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<18x5xf32>) {
  // CHECK: %[[G:.*]] = spmd.all_gather %arg0 [{"y"}, {}] on @m : (tensor<3x5xf32>) -> tensor<18x5xf32>
  // CHECK: return %arg0, %[[G]]
  %0 = spmd.all_gather %a [{"y"}, {}] on @m : (tensor<3x5xf32>) -> tensor<18x5xf32>
  %1 = spmd.all_slice %0 [{"y"}, {}] on @m : (tensor<18x5xf32>) -> tensor<3x5xf32>
  %2 = spmd.all_gather %a [{"x", "y"}, {}] on @m : (tensor<3x5xf32>) -> tensor<36x5xf32>
  %3 = spmd.all_slice %2 [{"x"}, {}] on @m : (tensor<36x5xf32>) -> tensor<18x5xf32>
  return %1, %3 : tensor<3x5xf32>, tensor<18x5xf32>
}

// The minor axis is not the major one: block y of the gathered value is not a
// gather over x.
// CHECK-LABEL: func @slice_by_minor
// CHECK: spmd.all_gather
// CHECK: spmd.all_slice
func.func @slice_by_minor(%a: tensor<3x5xf32>) -> tensor<6x5xf32> {
  %0 = spmd.all_gather %a [{"x", "y"}, {}] on @m : (tensor<3x5xf32>) -> tensor<36x5xf32>
  %1 = spmd.all_slice %0 [{"y"}, {}] on @m : (tensor<36x5xf32>) -> tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}

// CHECK-LABEL: func @gathers
func.func @gathers(%a: tensor<12xf32>, %b: tensor<2xf32>, %c: tensor<12xf32>) -> (tensor<12xf32>, tensor<24xf32>, tensor<12xf32>) {
  // CHECK: %[[A:.*]] = spmd.all_reduce add %arg0 {"y"} on @m
  // CHECK: %[[B:.*]] = spmd.all_gather %arg1 [{"y", "x"}] on @m : (tensor<2xf32>) -> tensor<24xf32>
  // CHECK: %[[C:.*]] = spmd.all_reduce max %arg2 {"x", "y"}
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  %0 = spmd.reduce_scatter add %a [{"y"}] on @m : (tensor<12xf32>) -> tensor<2xf32>
  %1 = spmd.all_gather %0 [{"y"}] on @m : (tensor<2xf32>) -> tensor<12xf32>
  %2 = spmd.all_gather %b [{"x"}] on @m : (tensor<2xf32>) -> tensor<4xf32>
  %3 = spmd.all_gather %2 [{"y"}] on @m : (tensor<4xf32>) -> tensor<24xf32>
  %4 = spmd.all_reduce max %c {"x", "y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %5 = spmd.all_slice %4 [{"y"}] on @m : (tensor<12xf32>) -> tensor<2xf32>
  %6 = spmd.all_gather %5 [{"y"}] on @m : (tensor<2xf32>) -> tensor<12xf32>
  return %1, %3, %6 : tensor<12xf32>, tensor<24xf32>, tensor<12xf32>
}

// All devices along "y" hold the same of %a: what they cut and gather again they
// need not have cut. Not so of %b, nor where 9 are cut in 8 (blocks of 2) and in 2
// (blocks of 5).
// CHECK-LABEL: func @gathered_slices
func.func @gathered_slices(
    %a: tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@n, [{}]>},
    %b: tensor<16xf32> {spmd.global_type = tensor<32xf32>, spmd.sharding = #spmd.sharding<@n, [{"y":(1)2}]>},
    %c: tensor<9xf32> {spmd.global_type = tensor<9xf32>, spmd.sharding = #spmd.sharding<@n, [{}]>})
    -> (tensor<2xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>) {
  // CHECK: %[[B:.*]] = spmd.all_slice %arg1 [{"y"}]
  // CHECK: %[[C:.*]] = spmd.all_slice %arg2 [{"x", "y"}]
  // CHECK: %[[A:.*]] = spmd.all_slice %arg0 [{"x", "y":(1)2}] on @n : (tensor<8xf32>) -> tensor<2xf32>
  // CHECK: %[[G:.*]] = spmd.all_gather %[[B]]
  // CHECK: %[[H:.*]] = spmd.all_gather %[[C]]
  // CHECK: return %[[A]], %arg0, %[[G]], %[[H]]
  %0 = spmd.all_slice %a [{"x", "y"}] on @n : (tensor<8xf32>) -> tensor<1xf32>
  %1 = spmd.all_slice %b [{"y"}] on @n : (tensor<16xf32>) -> tensor<4xf32>
  %2 = spmd.all_slice %c [{"x", "y"}] on @n : (tensor<9xf32>) -> tensor<2xf32>
  %3 = spmd.all_gather %0 [{"y":(2)2}] on @n : (tensor<1xf32>) -> tensor<2xf32>
  %4 = spmd.all_slice %a [{"y"}] on @n : (tensor<8xf32>) -> tensor<2xf32>
  %5 = spmd.all_gather %4 [{"y"}] on @n : (tensor<2xf32>) -> tensor<8xf32>
  %6 = spmd.all_gather %1 [{"y"}] on @n : (tensor<4xf32>) -> tensor<16xf32>
  %7 = spmd.all_gather %2 [{"y"}] on @n : (tensor<2xf32>) -> tensor<8xf32>
  return %3, %5, %6, %7 : tensor<2xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @reductions
func.func @reductions(%a: tensor<12xf32>, %b: tensor<12xf32>, %c: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1xf32>) {
  // CHECK: %[[A:.*]] = spmd.all_reduce add %arg0 {"x", "y"} on @m
  // CHECK: %[[B:.*]] = spmd.all_reduce max %arg1 {"x", "y"} on @m
  // CHECK: %[[D:.*]] = spmd.reduce_scatter add %arg0 [{"x", "y"}] on @m : (tensor<12xf32>) -> tensor<1xf32>
  // CHECK: return %[[A]], %[[B]], %arg2, %[[D]]
  %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %1 = spmd.all_reduce add %0 {"y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %2 = spmd.all_reduce max %b {"x", "y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %3 = spmd.all_reduce max %2 {"y":(2)3} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %4 = spmd.to_unreduced add %c {"x"} on @m : tensor<12xf32>
  %5 = spmd.all_reduce add %4 {"x"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %6 = spmd.reduce_scatter add %a [{"x"}] on @m : (tensor<12xf32>) -> tensor<6xf32>
  %7 = spmd.reduce_scatter add %6 [{"y"}] on @m : (tensor<6xf32>) -> tensor<1xf32>
  return %1, %3, %5, %7 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1xf32>
}

// A sum of sums twice over one axis is not one sum.
// CHECK-LABEL: func @summed_twice
// CHECK-COUNT-2: spmd.all_reduce add
func.func @summed_twice(%a: tensor<12xf32>) -> tensor<12xf32> {
  %0 = spmd.all_reduce add %a {"x", "y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %1 = spmd.all_reduce add %0 {"y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// Partial sums pass through what is linear in all of them; a product does not.
// CHECK-LABEL: func @sum_of_sums
func.func @sum_of_sums(%a: tensor<12xf32>, %b: tensor<12xf32>) -> (tensor<12xf32>, tensor<2xf32>, tensor<12xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.subtract %arg0, %arg1
  // CHECK: %[[S:.*]] = spmd.all_reduce add %[[A]] {"x"}
  // CHECK: %[[B:.*]] = stablehlo.add %arg0, %arg1 : tensor<12xf32>
  // CHECK: %[[R:.*]] = spmd.reduce_scatter add %[[B]] [{"y"}]
  // CHECK-COUNT-2: spmd.all_reduce add
  // CHECK: %[[P:.*]] = stablehlo.multiply
  // CHECK: return %[[S]], %[[R]], %[[P]]
  %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %1 = spmd.all_reduce add %b {"x"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<12xf32>
  %3 = spmd.reduce_scatter add %a [{"y"}] on @m : (tensor<12xf32>) -> tensor<2xf32>
  %4 = spmd.reduce_scatter add %b [{"y"}] on @m : (tensor<12xf32>) -> tensor<2xf32>
  %5 = stablehlo.add %3, %4 : tensor<2xf32>
  %6 = spmd.all_reduce add %a {"y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %7 = spmd.all_reduce add %b {"y"} on @m : (tensor<12xf32>) -> tensor<12xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<12xf32>
  return %2, %5, %8 : tensor<12xf32>, tensor<2xf32>, tensor<12xf32>
}

// CHECK-LABEL: func @permutes
func.func @permutes(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[P:.*]] = spmd.permute %arg0 {"y"} shift = [-1] wrap on @m
  // Behind the edge nothing comes back.
  // CHECK: %[[Q:.*]] = spmd.permute %arg0 {"y"} pairs = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5] on @m
  // CHECK: %[[R:.*]] = spmd.permute %arg0 {"x", "y":(1)2, "y":(2)3} to {"y":(2)3, "y":(1)2, "x"} on @m
  // CHECK: return %[[P]], %arg0, %[[Q]], %[[R]]
  %0 = spmd.permute %a {"y"} shift = [2] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
  %1 = spmd.permute %0 {"y"} shift = [3] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
  %2 = spmd.permute %a {"y"} shift = [2] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
  %3 = spmd.permute %2 {"y"} shift = [-2] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
  %4 = spmd.permute %a {"y"} shift = [-1] on @m : (tensor<4xf32>) -> tensor<4xf32>
  %5 = spmd.permute %4 {"y"} shift = [1] on @m : (tensor<4xf32>) -> tensor<4xf32>
  %6 = spmd.permute %a {"x", "y":(1)2, "y":(2)3} to {"y":(2)3, "x", "y":(1)2} on @m : (tensor<4xf32>) -> tensor<4xf32>
  %7 = spmd.permute %6 {"y":(2)3, "x", "y":(1)2} to {"y":(2)3, "y":(1)2, "x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @dead
// CHECK-NOT: spmd.all_gather
// CHECK: %[[S:.*]] = spmd.all_reduce add %arg1 {"x"} on @m : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %[[S]]
func.func @dead(%a: tensor<4xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = spmd.all_gather %a [{"x"}] on @m : (tensor<4xf32>) -> tensor<8xf32>
  %1:2 = spmd.all_reduce add %a, %b {"x"} on @m : (tensor<4xf32>, tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>)
  return %1#1 : tensor<3xf32>
}
