// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of collectives and point-to-point ops.

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<4x8xf32>) {
  // CHECK-NEXT: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[}}[0, 1], [2, 3]{{\]}}> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK-NEXT: %{{.*}}:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}}) <{replica_groups = dense<{{\[}}[0, 2], [1, -1]{{\]}}> : tensor<2x2xi64>}> ({
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: stablehlo.add
  // CHECK-NEXT: stablehlo.return
  // CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %1:2 = "stablehlo.all_reduce"(%a, %a) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  // CHECK-NEXT: "stablehlo.reduce_scatter"(%{{.*}}) <{replica_groups = dense<{{.*}}> : tensor<1x4xi64>, scatter_dimension = 1 : i64}> ({
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %2 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: "stablehlo.all_to_all"(%{{.*}}) <{concat_dimension = 0 : i64, replica_groups = dense<{{.*}}> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<16x2xf32>
  %3 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<16x2xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"(%{{.*}}) <{source_target_pairs = dense<{{\[}}[0, 1], [1, 2]{{\]}}> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: "stablehlo.collective_broadcast"(%{{.*}}) <{replica_groups = dense<{{.*}}> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: stablehlo.partition_id : tensor<ui32>
  %6 = stablehlo.partition_id : tensor<ui32>
  // CHECK-NEXT: stablehlo.replica_id : tensor<ui32>
  %7 = stablehlo.replica_id : tensor<ui32>
  return
}

// Groups may be named by mesh axes and parts of them.
// CHECK-LABEL: func @mesh_axes
func.func @mesh_axes(%a: tensor<4x8xf32>) {
  // CHECK-NEXT: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>, #stablehlo.axis_ref<name = "y">]>
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 4>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>, #stablehlo.axis_ref<name = "y">]>}> : (tensor<4x8xf32>) -> tensor<16x8xf32>
  // CHECK-NEXT: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func @channels
func.func @channels(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK-NEXT: "stablehlo.send"(%{{.*}}, %{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: %{{.*}}:2 = "stablehlo.recv"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %1:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK-NEXT: %{{.*}}:2 = "stablehlo.infeed"(%{{.*}}) <{infeed_config = "config", layout = {{\[}}[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %2:2 = "stablehlo.infeed"(%t) <{infeed_config = "config", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK-NEXT: "stablehlo.outfeed"(%{{.*}}, %{{.*}}) <{outfeed_config = "config"}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = "config"}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
