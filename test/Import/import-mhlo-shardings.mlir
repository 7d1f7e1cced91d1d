// RUN: partita-opt %s --spmd-import-mhlo-shardings --split-input-file | FileCheck %s
// RUN: partita-opt %s --spmd-import-mhlo-shardings --split-input-file | FileCheck %s --check-prefix=GONE
// GONE-NOT: mhlo.sharding
// GONE-NOT: @Sharding

// Both forms of device lists, and one mesh that serves all.
module @forms attributes {mhlo.num_partitions = 8 : i32} {
  // CHECK: spmd.mesh @mesh = <["axis_0"=4, "axis_1"=2]>
  // CHECK: func.func @main
  func.func @main(
      // CHECK-SAME: %arg0: tensor<16x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}
      %arg0: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"},
      // CHECK-SAME: %arg1: tensor<16x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"axis_1", "axis_0"}]>}
      %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[1,8]<=[4,2]T(1,0)}"},
      // CHECK-SAME: %arg2: tensor<16x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"axis_1"}, {}]>}
      %arg2: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,1,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}"},
      // CHECK-SAME: %arg3: tensor<16x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}
      %arg3: tensor<16x8xf32> {mhlo.sharding = "{replicated}"})
      // CHECK-SAME: -> (tensor<16x8xf32> {jax.result_info = "out", spmd.sharding = #spmd.sharding<@mesh, [{"axis_0", "axis_1"}, {}]>})
      -> (tensor<16x8xf32> {jax.result_info = "out", mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"}) {
    // CHECK: spmd.constraint %arg0 <@mesh, [{?}, {"axis_0"}]>
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,4,2]<=[8] last_tile_dim_replicate}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}

// -----

// 2 then 3 against 3 then 2: no common factorisation, so sub-axes of one axis.
module @conflict attributes {mhlo.num_partitions = 6 : i32} {
  // CHECK: spmd.mesh @mesh = <["axis_0"=6]>
  // CHECK: func.func @main
  // CHECK-SAME: #spmd.sharding<@mesh, [{"axis_0":(1)2}, {"axis_0":(2)3}]>
  // CHECK-SAME: #spmd.sharding<@mesh, [{"axis_0":(1)3}, {"axis_0":(3)2}]>
  func.func @main(%arg0: tensor<6x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"},
                  %arg1: tensor<6x6xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}) {
    return
  }
}

// -----

// A list that is no rearrangement of digits has a mesh of its own.
module @irregular attributes {mhlo.num_partitions = 4 : i32} {
  // CHECK: spmd.mesh @mesh = <["axis_0"=4], device_ids=[0, 1, 3, 2]>
  // CHECK: func.func @main(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"axis_0"}]>}
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,1,3,2}"}) {
    return
  }
}

// -----

// Several results, single devices, an op without results, groups.
module @others attributes {mhlo.num_partitions = 2 : i32} {
  // CHECK: spmd.mesh @maximal_mesh_1 = <[], device_ids=[1]>
  // CHECK: spmd.mesh @mesh = <["axis_0"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: custom_call @two(%arg0) {spmd.shardings = [#spmd.sharding<@mesh, [{"axis_0"}]>, #spmd.sharding<@maximal_mesh_1, [{}]>]}
    %0:2 = stablehlo.custom_call @two(%arg0) {mhlo.sharding = "{{devices=[2]<=[2]}, {maximal device=1}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    // CHECK: custom_call @none{{.*}} spmd.shardings = [#spmd.sharding<@maximal_mesh_1, []>]
    stablehlo.custom_call @none(%0#1) {has_side_effect = true, mhlo.sharding = "{maximal device=1}"} : (tensor<8xf32>) -> ()
    // CHECK: spmd.group %{{.*}} id = 5
    // CHECK-NEXT: return
    %1 = stablehlo.custom_call @Sharding(%0#0) {mhlo.sharding = "{unknown shard_as 5}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// The older form of shard_map: a region between two calls.
module @region attributes {mhlo.num_partitions = 8 : i32} {
  // CHECK: func.func @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>)
  func.func @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>) -> (tensor<16x8xf32>, tensor<4xf32>) {
    // CHECK-NEXT: %[[R:.*]]:2 = spmd.manual (%arg0, %arg1)
    // CHECK-SAME: in_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>, <@mesh, [{"axis_1"}]>]
    // CHECK-SAME: out_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>, <@mesh, [{}]>]
    // CHECK-SAME: manual_axes={"axis_0", "axis_1"} (%[[A:.*]]: tensor<4x4xf32>, %[[B:.*]]: tensor<4xf32>)
    // CHECK-NEXT: %[[C:.*]]:2 = func.call @body(%[[A]], %[[B]])
    // CHECK-NEXT: spmd.return %[[C]]#0, %[[C]]#1
    // CHECK: return %[[R]]#0, %[[R]]#1
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<16x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
    %4:2 = func.call @body(%1, %3) : (tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    %5 = stablehlo.custom_call @Sharding(%4#0) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<4x4xf32>) -> tensor<16x8xf32>
    %7 = stablehlo.custom_call @Sharding(%4#1) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<4xf32>
    %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
    return %6, %8 : tensor<16x8xf32>, tensor<4xf32>
  }
  func.func private @body(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    return %arg0, %arg1 : tensor<4x4xf32>, tensor<4xf32>
  }
}

// -----

// Some axes manual, the others free; inside, a region over the rest.
module @partial attributes {mhlo.num_partitions = 8 : i32} {
  // CHECK: func.func @main
  func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}) -> tensor<16x4xf32> {
    // CHECK-NEXT: spmd.manual (%arg0) in_shardings=[<@mesh, [{?}, {"axis_1", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"axis_1"}
    // CHECK-NEXT: %[[I:.*]] = spmd.manual () in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"axis_0"}
    // CHECK: stablehlo.broadcast_in_dim %[[I]]
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<16x8xf32>) -> tensor<16x4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %i = stablehlo.custom_call @Sharding(%one) {mhlo.sharding = "{manual}"} : (tensor<f32>) -> tensor<f32>
    %j = stablehlo.custom_call @SPMDShardToFullShape(%i) {mhlo.sharding = "{devices=[2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %j, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %2 = stablehlo.add %1, %b : tensor<16x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    return %4 : tensor<16x4xf32>
  }
}

// -----

// Strings beside a named mesh use its axes, or parts of them.
module @mixed attributes {mhlo.num_partitions = 8 : i32} {
  // CHECK: spmd.mesh @named = <["x"=4, "y"=2]>
  // CHECK-NOT: spmd.mesh
  spmd.mesh @named = <["x"=4, "y"=2]>
  // CHECK: func.func @main
  // CHECK-SAME: #spmd.sharding<@named, [{"x", "y"}, {}]>
  // CHECK-SAME: #spmd.sharding<@named, [{"x":(1)2}, {"x":(2)2, "y"}]>
  func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"},
                  %arg1: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) {
    return
  }
}
