// A collective over several dimensions: one of blocks that are transposed, or
// one per dimension where launches cost less than the transposes.
// RUN: partita-opt %s --convert-spmd-to-stablehlo=machine=tpu-v5e | FileCheck %s
// RUN: partita-opt %s --convert-spmd-to-stablehlo | FileCheck %s --check-prefix=ONE

spmd.mesh @m = <["x"=2, "y"=4]>

// 8 MiB in another order take 20 us, a launch 2 us.
// CHECK-LABEL: func.func @large
// ONE-LABEL: func.func @large
func.func @large(%arg0: tensor<1024x256xf32>) -> (tensor<2048x1024xf32>, tensor<512x64xf32>) {
  // CHECK: %[[Y:.*]] = "stablehlo.all_gather"(%arg0)
  // CHECK-SAME: all_gather_dim = 0
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]>
  // CHECK: %[[XY:.*]] = "stablehlo.all_gather"(%[[Y]])
  // CHECK-SAME: all_gather_dim = 1
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]>
  // CHECK-SAME: (tensor<2048x256xf32>) -> tensor<2048x1024xf32>
  // ONE-COUNT-1: "stablehlo.all_gather"
  // ONE: stablehlo.transpose
  // ONE-NOT: "stablehlo.all_gather"
  %0 = spmd.all_gather %arg0 [{"x"}, {"y"}] on @m : (tensor<1024x256xf32>) -> tensor<2048x1024xf32>
  // CHECK: "stablehlo.reduce_scatter"
  // CHECK-SAME: scatter_dimension = 0
  // CHECK: "stablehlo.reduce_scatter"
  // CHECK-SAME: scatter_dimension = 1
  // CHECK: (tensor<512x256xf32>) -> tensor<512x64xf32>
  // ONE: stablehlo.transpose
  // ONE: "stablehlo.reduce_scatter"
  // ONE-NOT: "stablehlo.reduce_scatter"
  %1 = spmd.reduce_scatter add %arg0 [{"x"}, {"y"}] on @m : (tensor<1024x256xf32>) -> tensor<512x64xf32>
  // CHECK-NOT: stablehlo.transpose
  // CHECK: return
  return %0, %1 : tensor<2048x1024xf32>, tensor<512x64xf32>
}

// CHECK-LABEL: func.func @small
func.func @small(%arg0: tensor<4x2xf32>) -> tensor<8x8xf32> {
  // CHECK: "stablehlo.all_gather"
  // CHECK: stablehlo.transpose
  // CHECK-NOT: "stablehlo.all_gather"
  %0 = spmd.all_gather %arg0 [{"x"}, {"y"}] on @m : (tensor<4x2xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
