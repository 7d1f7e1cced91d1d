// Each collective as machine code: those that a program names itself, and those that uneven and partial layouts need.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

spmd.mesh @m = <["x"=4]>

func.func @main(%rows: tensor<16x4xf32>, %a: tensor<12x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>}, %b: tensor<6x12xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {"x"}]>})
    -> (tensor<16x4xf32>, tensor<4x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<64x4xf32>, tensor<12x12xf32>, tensor<8x6xf32>, tensor<6x6xf32>) {
  %0:7 = spmd.manual (%rows) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}]>, <@m, [{"x"}, {}]>] manual_axes={"x"}
      (%r: tensor<4x4xf32>) {
    %1 = "stablehlo.all_reduce"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.reduce_scatter"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %3 = "stablehlo.all_to_all"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.collective_permute"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = "stablehlo.collective_broadcast"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    %float = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %one = stablehlo.reshape %float : (tensor<f32>) -> tensor<1xf32>
    %future = "stablehlo.async_start"(%r) ({
    ^bb0(%v: tensor<4x4xf32>):
      %g = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<16x4xf32>
      stablehlo.return %g : tensor<16x4xf32>
    }) : (tensor<4x4xf32>) -> !stablehlo.future<tensor<16x4xf32>>
    %6 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<16x4xf32>>) -> tensor<16x4xf32>
    spmd.return %1, %2, %3, %4, %5, %one, %6 : tensor<4x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<1xf32>, tensor<16x4xf32>
  } : (tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<4x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<64x4xf32>)
  %7 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x6xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
  %8 = stablehlo.slice %a [1:9, 0:6] : (tensor<12x6xf32>) -> tensor<8x6xf32>
  %9 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<6x12xf32>, tensor<12x6xf32>) -> tensor<6x6xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %7, %8, %9 : tensor<16x4xf32>, tensor<4x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<64x4xf32>, tensor<12x12xf32>, tensor<8x6xf32>, tensor<6x6xf32>
}
