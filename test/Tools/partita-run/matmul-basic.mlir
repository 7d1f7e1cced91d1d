// The shard_map tutorial's blocked matmul against the same product under jit
// with a sharding constraint: two programs, the same inputs, equal results.
// RUN: split-file %s %t
// RUN: %make_npz %t/in.npz f4:8x16:arange f4:16x4:arange
// RUN: partita-run %t/basic.mlir --inputs=%t/in.npz --print=result0 \
// RUN:   --compare=%t/reference.mlir | FileCheck %s
// RUN: partita-run %t/basic.mlir --compare=%t/reference.mlir --seed=7 | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %t/basic.mlir --compare=exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %t/reference.mlir --compare=exact | FileCheck %s --check-prefix=EQUAL

// Row 0 of the product is 4960 5080 5200 5320; rows 0 and 1 lie on the devices
// with x=0, whatever their y.
// CHECK:      result0 on device 0 (x=0, y=0): tensor<2x4xf32> {{\[}}[4960 5080 5200 5320] [
// CHECK-NEXT: result0 on device 1 (x=0, y=1): tensor<2x4xf32> {{\[}}[4960 5080 5200 5320] [
// CHECK-NEXT: result0 on device 2 (x=1, y=0): tensor<2x4xf32>
// CHECK:      equal (floats, max |difference| 0
// CHECK-NEXT: 8 devices,
// CHECK-NEXT:   1 x all_reduce:
// EQUAL: equal
// EQUAL-NOT: vacuous

//--- basic.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x8xf32>, %arg3: tensor<8x4xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
      sdy.return %2 : tensor<2x4xf32>
    } : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

//--- reference.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
