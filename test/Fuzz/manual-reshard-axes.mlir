// A reshard inside a manual region, or in a function called there, must not keep
// parts of a value on manual axes: along those, each device has a value of its own.
// RUN: partita-run %s --compare=exact
module attributes {mhlo.num_partitions = 16 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=4]>
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3x3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x":(1)2, ?}p1], replicated={"x":(2)2}>}, %arg2: tensor<4x16x2xf32>) -> (tensor<16x1x2xf32>, tensor<16x1x2xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, []>, <@mesh, [{}, {}, {"x"}]>, <@mesh, [{}, {"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {"y"}]>, <@mesh, [{"x"}, {}, {"y"}]>] manual_axes={"x"} (%arg3: tensor<i32>, %arg4: tensor<3x3x2xf32>, %arg5: tensor<4x4x2xf32>) {
      %1 = "stablehlo.reduce_scatter"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 29, type = 1>, replica_groups = dense<[[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]> : tensor<4x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %3 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x4x2xf32>) -> tensor<4x1x2xf32>
      %2 = func.call @f(%1) : (tensor<4x1x2xf32>) -> tensor<4x1x2xf32>
      sdy.return %1, %2 : tensor<4x1x2xf32>, tensor<4x1x2xf32>
    } : (tensor<i32>, tensor<3x3x8xf32>, tensor<4x16x2xf32>) -> (tensor<16x1x2xf32>, tensor<16x1x2xf32>)
    return %0#0, %0#1 : tensor<16x1x2xf32>, tensor<16x1x2xf32>
  }
  func.func private @f(%arg0: tensor<4x1x2xf32>) -> tensor<4x1x2xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}, {"y"}]> : tensor<4x1x2xf32>
    %1 = stablehlo.negate %0 : tensor<4x1x2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {}, {"y":(1)2}]> : tensor<4x1x2xf32>
    return %2 : tensor<4x1x2xf32>
  }
}
