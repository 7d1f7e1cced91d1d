// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s -o /dev/null

spmd.mesh @m = <["x"=4, "y"=2, "z"=3]>

// CHECK-LABEL: func.func @gather_and_slice
func.func @gather_and_slice(%arg0: tensor<8x6xf32>, %arg1: tensor<3x5xi32>) {
  // CHECK: spmd.all_gather %{{.*}} [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf32>
  %0 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf32>
  // CHECK: spmd.all_gather %{{.*}}, %{{.*}} [{"y"}, {"x":(2)2, "z"}] on @m
  %1:2 = spmd.all_gather %arg0, %arg1 [{"y"}, {"x":(2)2, "z"}] on @m : (tensor<8x6xf32>, tensor<3x5xi32>) -> (tensor<16x36xf32>, tensor<6x30xi32>)
  // The tail of an uneven block is padding.
  // CHECK: spmd.all_slice %{{.*}} [{"x"}, {"z"}] on @m : (tensor<3x5xi32>) -> tensor<1x2xi32>
  %2 = spmd.all_slice %arg1 [{"x"}, {"z"}] on @m : (tensor<3x5xi32>) -> tensor<1x2xi32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%arg0: tensor<8x6xf32>, %arg1: tensor<5xf32>, %arg2: tensor<4xi1>) {
  // CHECK: spmd.all_reduce add %{{.*}} {"x", "z"} on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = spmd.all_reduce add %arg0 {"x", "z"} on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // Values of several shapes are combined in one collective.
  // CHECK: spmd.all_reduce max %{{.*}}, %{{.*}} {"y"} on @m : (tensor<8x6xf32>, tensor<5xf32>) -> (tensor<8x6xf32>, tensor<5xf32>)
  %1:2 = spmd.all_reduce max %arg0, %arg1 {"y"} on @m : (tensor<8x6xf32>, tensor<5xf32>) -> (tensor<8x6xf32>, tensor<5xf32>)
  // CHECK: spmd.all_reduce or %{{.*}} {"x":(1)2} on @m : (tensor<4xi1>) -> tensor<4xi1>
  %2 = spmd.all_reduce or %arg2 {"x":(1)2} on @m : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: spmd.reduce_scatter add %{{.*}} [{"x"}, {"y", "z"}] on @m : (tensor<8x6xf32>) -> tensor<2x1xf32>
  %3 = spmd.reduce_scatter add %arg0 [{"x"}, {"y", "z"}] on @m : (tensor<8x6xf32>) -> tensor<2x1xf32>
  // CHECK: spmd.to_unreduced min %{{.*}} {"z"} on @m : tensor<8x6xf32>
  %4 = spmd.to_unreduced min %arg0 {"z"} on @m : tensor<8x6xf32>
  return
}

// CHECK-LABEL: func.func @all_to_all
func.func @all_to_all(%arg0: tensor<8x6x9xf32>) {
  // CHECK: spmd.all_to_all %{{.*}} [{"x"}: 1 -> 0] on @m : (tensor<8x6x9xf32>) -> tensor<2x24x9xf32>
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0] on @m : (tensor<8x6x9xf32>) -> tensor<2x24x9xf32>
  // CHECK: spmd.all_to_all %{{.*}} [{"y", "x":(1)2}: 1 -> 0, {"z"}: 0 -> 2] on @m : (tensor<8x6x9xf32>) -> tensor<6x24x3xf32>
  %1 = spmd.all_to_all %arg0 [{"y", "x":(1)2}: 1 -> 0, {"z"}: 0 -> 2] on @m : (tensor<8x6x9xf32>) -> tensor<6x24x3xf32>
  return
}

// CHECK-LABEL: func.func @permute
func.func @permute(%arg0: tensor<8xf32>, %arg1: tensor<2x2xi8>) {
  // CHECK: spmd.permute %{{.*}}, %{{.*}} {"y", "z"} pairs = [0, 5, 5, 0, 2, 2] on @m
  %0:2 = spmd.permute %arg0, %arg1 {"y", "z"} pairs = [0, 5, 5, 0, 2, 2] on @m : (tensor<8xf32>, tensor<2x2xi8>) -> (tensor<8xf32>, tensor<2x2xi8>)
  // CHECK: spmd.permute %{{.*}} {"x", "y"} to {"y", "x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  %1 = spmd.permute %arg0 {"x", "y"} to {"y", "x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: spmd.permute %{{.*}} {"x", "z"} shift = [-1, 2] on @m
  %2 = spmd.permute %arg0 {"x", "z"} shift = [-1, 2] on @m : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: spmd.permute %{{.*}} {"z"} shift = [1] wrap on @m
  %3 = spmd.permute %arg0 {"z"} shift = [1] wrap on @m : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: spmd.permute %{{.*}} {"z"} pairs = [] on @m
  %4 = spmd.permute %arg0 {"z"} pairs = [] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @exchange
func.func @exchange(%arg0: tensor<3x6xf32>) {
  // Halo of one on each side of blocks of 3 of a dimension of 11.
  // CHECK: spmd.exchange %{{.*}} [11, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-1 + i*3 : 5, 0 + i*0 : 6] : (tensor<3x6xf32>) -> tensor<5x6xf32>
  %0 = spmd.exchange %arg0 [11, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-1 + i*3 : 5, 0 + i*0 : 6] : (tensor<3x6xf32>) -> tensor<5x6xf32>
  // CHECK: spmd.exchange %{{.*}} [12, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-1 + i*3 : 5 wrap, 0 + i*0 : 6]
  %2 = spmd.exchange %arg0 [12, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-1 + i*3 : 5 wrap, 0 + i*0 : 6] : (tensor<3x6xf32>) -> tensor<5x6xf32>
  // CHECK: spmd.exchange %{{.*}} [11, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [1 + i*3 : 3 edge, 0 + i*6 : 6]
  %3 = spmd.exchange %arg0 [11, 6] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [1 + i*3 : 3 edge, 0 + i*6 : 6] : (tensor<3x6xf32>) -> tensor<3x6xf32>
  // CHECK: spmd.exchange %{{.*}} [11, 12] from <@m, [{"x"}, {"y"}]> to <@m, [{"z"}, {"x"}]> [0 + i*4 : 4, 9 + i*-3 : 3]
  %1 = spmd.exchange %arg0 [11, 12] from <@m, [{"x"}, {"y"}]> to <@m, [{"z"}, {"x"}]> [0 + i*4 : 4, 9 + i*-3 : 3] : (tensor<3x6xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%arg0: tensor<8x6xf32>, %arg1: tensor<12x6xf32>, %arg2: tensor<6xi32>) {
  // CHECK: spmd.broadcast %{{.*}} {"x", "z"} root = 11 on @m : tensor<8x6xf32>
  %0 = spmd.broadcast %arg0 {"x", "z"} root = 11 on @m : tensor<8x6xf32>
  // CHECK: spmd.ragged_all_to_all %{{.*}} {"z"} on @m : (tensor<8x6xf32>, tensor<12x6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) -> tensor<12x6xf32>
  %1 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"z"} on @m : (tensor<8x6xf32>, tensor<12x6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) -> tensor<12x6xf32>
  // CHECK: spmd.axis_index {"x", "y"} on @m : tensor<i32>
  %2 = spmd.axis_index {"x", "y"} on @m : tensor<i32>
  // CHECK: spmd.axis_index {} on @m : tensor<index>
  %3 = spmd.axis_index {} on @m : tensor<index>
  return
}
