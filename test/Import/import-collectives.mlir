// RUN: partita-opt %s --spmd-import-collectives --split-input-file | FileCheck %s

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<32x16xf32>, %arg1: tensor<32x16xi1>) {
  spmd.manual (%arg0, %arg1) in_shardings=[<@m, [{"x"}, {"y"}]>, <@m, [{"x"}, {"y"}]>] out_shardings=[] manual_axes={"x", "y"} (%a: tensor<8x8xf32>, %p: tensor<8x8xi1>) {
    // CHECK: spmd.all_reduce add %{{.*}} {"x"} on @m
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // The order of a sum's members does not matter; nor do the groups'.
    // CHECK: spmd.all_reduce max %{{.*}} {"x", "y"} on @m
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.maximum %r, %l : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // Half of an axis.
    // CHECK: spmd.all_reduce min %{{.*}} {"x":(2)2} on @m
    %2 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[0, 2], [4, 6], [1, 3], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.minimum %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // Booleans add and take the maximum by `or`.
    // CHECK: spmd.all_reduce or %{{.*}} {"y"} on @m
    %3 = "stablehlo.all_reduce"(%p) <{channel_handle = #channel, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<i1>, %r: tensor<i1>):
      %s = stablehlo.maximum %l, %r : tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    // Several operands.
    // CHECK: spmd.all_reduce mul %{{.*}}, %{{.*}} {"y"} on @m : (tensor<8x8xf32>, tensor<8x8xf32>)
    %4:2 = "stablehlo.all_reduce"(%a, %0) <{channel_handle = #channel, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.multiply %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    // CHECK: spmd.reduce_scatter add %{{.*}} [{"x"}, {}] on @m : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %5 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #channel, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<2x8xf32>
    // The order of a gather's members is that of the axes.
    // CHECK: spmd.all_gather %{{.*}} [{}, {"y", "x"}] on @m : (tensor<8x8xf32>) -> tensor<8x64xf32>
    %6 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #channel, replica_groups = dense<[[0, 2, 4, 6, 1, 3, 5, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x64xf32>
    // CHECK: spmd.all_to_all %{{.*}} [{"x"}: 1 -> 0] on @m : (tensor<8x8xf32>) -> tensor<2x32xf32>
    %7 = "stablehlo.all_to_all"(%a) <{channel_handle = #channel, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8xf32>) -> tensor<2x32xf32>
    // Split and concatenated alike: the pieces get a dimension.
    // CHECK: %[[P:.*]] = stablehlo.reshape %{{.*}} : (tensor<8x8xf32>) -> tensor<1x4x2x8xf32>
    // CHECK: %[[E:.*]] = spmd.all_to_all %[[P]] [{"x"}: 0 -> 1] on @m : (tensor<1x4x2x8xf32>) -> tensor<4x1x2x8xf32>
    // CHECK: stablehlo.reshape %[[E]] : (tensor<4x1x2x8xf32>) -> tensor<8x8xf32>
    %8 = "stablehlo.all_to_all"(%a) <{channel_handle = #channel, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: spmd.broadcast %{{.*}} {"x"} root = 1 on @m
    %9 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #channel, replica_groups = dense<[[2, 0, 4, 6], [3, 1, 5, 7]]> : tensor<2x4xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // Groups of one device do nothing; the result is the operand.
    %10 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[0], [1], [2], [3], [4], [5], [6], [7]]> : tensor<8x1xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: stablehlo.negate %arg2
    %11 = stablehlo.negate %10 : tensor<8x8xf32>
    // Groups named by axes.
    // CHECK: spmd.all_reduce add %{{.*}} {"y"} on @m
    %12 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    spmd.return
  } : (tensor<32x16xf32>, tensor<32x16xi1>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4, "y"=2]>
// Permutations: translations, one of several axes, a renaming of axes, any
// other, nothing received.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<32xf32>) {
  spmd.manual (%arg0) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[] manual_axes={"x", "y"} (%a: tensor<4xf32>) {
    // CHECK: spmd.permute %{{.*}} {"x"} shift = [1] wrap on @m
    %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [6, 0], [1, 3], [3, 5], [5, 7], [7, 1]]> : tensor<8x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: spmd.permute %{{.*}} {"x"} shift = [-1] on @m
    %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[2, 0], [4, 2], [6, 4], [3, 1], [5, 3], [7, 5]]> : tensor<6x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: spmd.permute %{{.*}} {"x", "y"} shift = [-1, 1] wrap on @m
    %2 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[2, 1], [4, 3], [6, 5], [0, 7], [3, 0], [5, 2], [7, 4], [1, 6]]> : tensor<8x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // Sender x*2+y goes to the device with y*4+x equal to it.
    // CHECK: spmd.permute %{{.*}} {"x", "y"} to {"y", "x"} on @m
    %3 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 0], [1, 2], [2, 4], [3, 6], [4, 1], [5, 3], [6, 5], [7, 7]]> : tensor<8x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: spmd.permute %{{.*}} {"x"} pairs = [0, 1, 1, 0] on @m
    %4 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // Devices that differ in y do different things: both axes.
    // CHECK: spmd.permute %{{.*}} {"x", "y"} pairs = [0, 2, 3, 3] on @m
    %5 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 2], [3, 3]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %6 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return
  } : (tensor<32xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
// Devices in another order: groups list device numbers, axes are positions.
spmd.mesh @m = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<32xf32>) {
  // A function has the context of its call; a region inside control flow too.
  spmd.manual (%arg0) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[] manual_axes={"x", "y"} (%a: tensor<4xf32>) {
    %0 = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return
  } : (tensor<32xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @f
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: spmd.all_gather %arg0 [{"x"}] on @m
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #channel, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<16xf32>
  return %a : tensor<4xf32>
}

// -----

spmd.mesh @m = <["x"=4, "y"=2]>
// lax.ragged_all_to_all, and an operation started and waited for.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<16xf32>, %arg1: tensor<16xi32>) {
  spmd.manual (%arg0, %arg1) in_shardings=[<@m, [{"x"}]>, <@m, [{"x"}]>] out_shardings=[] manual_axes={"x", "y"} (%a: tensor<4xf32>, %i: tensor<4xi32>) {
    // CHECK: spmd.ragged_all_to_all %arg2, %arg2, %arg3, %arg3, %arg3, %arg3 {"x"} on @m
    %0 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %i, %i, %i, %i) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
    spmd.return
  } : (tensor<16xf32>, tensor<16xi32>) -> ()
  return
}
