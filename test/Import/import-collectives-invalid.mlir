// RUN: partita-opt %s --spmd-import-collectives --split-input-file --verify-diagnostics

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{is outside of any manual region}}
  // expected-note @+1 {{fix: use it inside jax.shard_map}}
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{in this manual region}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{replica groups [[0, 3], [1, 2]] match no axes of mesh @m = #spmd.mesh<["x"=4]>: they are not the instances of any list of mesh axes}}
    // expected-note @+1 {{fix: use groups that are the instances of mesh axes}}
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    spmd.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{in this manual region}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{the members of a group are not in the order of the mesh axes}}
    // expected-note @+1 {{fix: use groups}}
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #channel, replica_groups = dense<[[3, 2, 1, 0]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{in this manual region}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{device 4 is not on the mesh}}
    // expected-note @+1 {{fix: use groups}}
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #channel, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<16xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{the manual axes are {"x"}}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error @+2 {{communicates along axis "y" of mesh @m, which is not manual here}}
    // expected-note @+1 {{fix: name the axis in shard_map's axis_names}}
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #channel, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) {
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{combines values by a body that is none of add, mul, max, min, and, or, xor}}
    // expected-note @+1 {{fix: gather the values}}
    %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      // expected-note @+1 {{the body begins here}}
      %s = stablehlo.subtract %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) {
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{groups replicas, of which there is one, in [[0, 1, 2, 3]]}}
    // expected-note @+1 {{fix: lower with jax.shard_map, which numbers partitions}}
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xf32>) -> tensor<8xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) {
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error @+2 {{source_target_pairs do not fit mesh @m = #spmd.mesh<["x"=4]>: device 9 is not on the mesh}}
    // expected-note @+1 {{fix: list devices of the mesh}}
    %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 9]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{the manual axes are {"x"}}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error @+2 {{communicates along axis "y" of mesh @m, which is not manual here}}
    // expected-note @+1 {{fix}}
    %id = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

#channel = #stablehlo.channel_handle<handle = 1, type = 1>
spmd.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{called here}}
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  spmd.manual (%arg0) in_shardings=[<@m, [{}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<8xf32>) {
    // expected-note @+1 {{called here}}
    %1 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
    spmd.return
  } : (tensor<8xf32>) -> ()
  return
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{is in @f, which is called under different manual axes}}
  // expected-note @+1 {{fix: run spmd-clone-callees first}}
  %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #channel, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
