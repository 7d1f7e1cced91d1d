// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @all_gather(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op has result 0 of size 8 in dimension 0, but its operands make size 16}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// Groups named by axes have a size too.
func.func @mesh_axes(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op has result 0 of size 8 in dimension 0, but its operands make size 16}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @group_twice(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op replica_groups holds process 1 twice}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @group_missing(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op replica_groups lists 4 processes, but not process 2}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [3, 4]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @global_ids(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op has use_global_device_ids, but lists no group}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @all_reduce_body(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op the computation has argument 0 of type 'tensor<4xf32>', expected a tensor of rank 0}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<4xf32>, %r: tensor<4xf32>):
    stablehlo.return %l : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_scatter(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op scatters dimension 1 of size 6 over groups of 4 processes, which do not divide it}}
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_count(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op splits into 2 parts, but groups have 4 processes}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @all_to_all_split(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op splits dimension 1 of size 6 into 4 parts, which do not divide it}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<16x2xf32>
  return
}

// -----

func.func @permute(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op source_target_pairs holds target 1 twice}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @send(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op between devices needs a channel of type 1, not 2}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op needs a token as its last result}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

func.func @partition_id() {
  // expected-error@+1 {{'stablehlo.partition_id' op has result 0 of rank 1, but its operands make shape scalar}}
  %0 = stablehlo.partition_id : tensor<1xui32>
  return
}
