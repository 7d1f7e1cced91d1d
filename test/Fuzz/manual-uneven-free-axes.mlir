// The free axis does not divide the manual shard, so the blocks inside the region
// are not those that both axes together make outside of it.
// RUN: partita-run %s --compare=exact
module attributes {mhlo.num_partitions = 24 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=6, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<10xf32>, %arg1: tensor<18x5xf32>) -> (tensor<8xf32>, tensor<18x5xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"y", "x"}]>, <@mesh, [{"y", "z"}, {"x"}]>] out_shardings=[<@mesh, [{"y", "x"}]>, <@mesh, [{"y", "z", "x"}, {}]>] manual_axes={"y"} (%arg2: tensor<5xf32>, %arg3: tensor<9x5xf32>) {
      %1 = stablehlo.slice %arg2 [0:4] : (tensor<5xf32>) -> tensor<4xf32>
      %2 = stablehlo.negate %arg3 : tensor<9x5xf32>
      sdy.return %1, %2 : tensor<4xf32>, tensor<9x5xf32>
    } : (tensor<10xf32>, tensor<18x5xf32>) -> (tensor<8xf32>, tensor<18x5xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<18x5xf32>
  }
}
