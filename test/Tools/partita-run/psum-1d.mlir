// JAX's shard_map notebook: lax.psum of a sharded vector, over the one axis of
// its mesh, is replicated and is the sum of the blocks.
// RUN: %make_npz %t.npz i4:16:3,1,4,1,5,9,2,6,5,3,5,8,9,7,1,2
// RUN: partita-run %s --inputs=%t.npz --print=result0 --compare=unsharded \
// RUN:   --check-replicated | FileCheck %s
// RUN: partita-run %s --compare=exact | FileCheck %s --check-prefix=EXACT

// CHECK:      result0 on device 0 (i=0): tensor<4xi32> [22 20 12 17]
// CHECK-NEXT: result0 on device 1 (i=1): tensor<4xi32> [22 20 12 17]
// CHECK-NEXT: result0 on device 2 (i=2): tensor<4xi32> [22 20 12 17]
// CHECK-NEXT: result0 on device 3 (i=3): tensor<4xi32> [22 20 12 17]
// CHECK-NEXT: equal (floats, max |difference| 0
// A ring all-reduce of 16 bytes on 4 devices sends 2 * 3/4 of them.
// CHECK-NEXT: 4 devices, 24 bytes sent per device
// CHECK-NEXT:   1 x all_reduce: 24 bytes
// EXACT:      equal (exact
// EXACT-NOT:  vacuous

module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>}) -> (tensor<4xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"i"} (%arg1: tensor<4xi32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %2 = stablehlo.add %arg2, %arg3 : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }) : (tensor<4xi32>) -> tensor<4xi32>
      sdy.return %1 : tensor<4xi32>
    } : (tensor<16xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
