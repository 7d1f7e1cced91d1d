// RUN: partita-opt --convert-spmd-to-stablehlo --convert-spmd-to-runtime %s | FileCheck %s

spmd.mesh @m = <["x"=2, "y"=3]>

// The descriptor: op id, words, one input and output of f32[4], two groups of
// three devices, and the kind of reduction.
// CHECK-LABEL: func.func @all_reduce
// CHECK: spmd.runtime_call "partita_all_reduce" communicates ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) descriptor = [4294967296, 19, 1, 1, 1, 1, 4, 1, 1, 4, 2, 3, 0, 1, 2, 3, 4, 5, 2] -> tensor<4xf32>
func.func @all_reduce(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = spmd.all_reduce max %a {"y"} on @m : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The runtime gathers with the group in front; a gather along dimension 1 is
// transposed into place.
// CHECK-LABEL: func.func @all_gather
// CHECK: spmd.runtime_call "partita_all_gather" communicates ins(%{{.*}} : tensor<4x5xf32>) outs(%{{.*}} : tensor<2x4x5xf32>)
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2]
// CHECK: stablehlo.reshape %{{.*}} : (tensor<4x2x5xf32>) -> tensor<4x10xf32>
func.func @all_gather(%a: tensor<4x5xf32>) -> tensor<4x10xf32> {
  %0 = spmd.all_gather %a [{}, {"x"}] on @m : (tensor<4x5xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// Pairs of devices, not of positions on the axis.
// CHECK-LABEL: func.func @permute
// CHECK: "partita_permute" communicates {{.*}} descriptor = [{{[0-9]+}}, 23, 1, 1, 1, 1, 4, 1, 1, 4, 12, 0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3]
func.func @permute(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = spmd.permute %a {"y"} pairs = [0, 1, 1, 2, 2, 0] on @m : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
