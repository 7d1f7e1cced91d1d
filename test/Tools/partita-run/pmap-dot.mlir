// pmap of a dot, and the batched dot that it stands for under jit.
// RUN: split-file %s %t
// RUN: %make_npz --deflate %t/in.npz f4:8x10:arange f4:8x10:arange
// RUN: partita-run %t/pmap.mlir --inputs=%t/in.npz --print=result0 \
// RUN:   --compare=%t/jit.mlir | FileCheck %s
// RUN: partita-run %t/pmap.mlir --compare=exact | FileCheck %s --check-prefix=EXACT
// RUN: partita-run %t/jit.mlir --compare=%t/pmap.mlir | FileCheck %s --check-prefix=JIT

// CHECK:      result0 on device 0 (_internal_pmap_axis_name=0): tensor<1xf32> [285]
// CHECK-NEXT: result0 on device 1 (_internal_pmap_axis_name=1): tensor<1xf32> [2185]
// CHECK:      result0 on device 7 (_internal_pmap_axis_name=7): tensor<1xf32> [55585]
// CHECK-NEXT: equal (floats, max |difference| 0
// CHECK-NEXT: 8 devices, 0 bytes sent per device
// EXACT: equal (exact
// EXACT-NOT: vacuous
// JIT: equal

//--- pmap.mlir
module @jit__fun attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["_internal_pmap_axis_name"=8]> {stablehlo.mesh = {axes = [{name = "_internal_pmap_axis_name", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_internal_pmap_axis_name"}, {}]>}, %arg1: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_internal_pmap_axis_name"}, {}]>}) -> (tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"_internal_pmap_axis_name"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"_internal_pmap_axis_name"}, {}]>, <@mesh, [{"_internal_pmap_axis_name"}, {}]>] out_shardings=[<@mesh, [{"_internal_pmap_axis_name"}]>] manual_axes={"_internal_pmap_axis_name"} (%arg2: tensor<1x10xf32>, %arg3: tensor<1x10xf32>) {
      %1 = stablehlo.reshape %arg2 : (tensor<1x10xf32>) -> tensor<10xf32>
      %2 = stablehlo.reshape %arg3 : (tensor<1x10xf32>) -> tensor<10xf32>
      %3 = stablehlo.dot_general %1, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10xf32>, tensor<10xf32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %4 : tensor<1xf32>
    } : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

//--- jit.mlir
module @jit_dot attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=8]>
  func.func public @main(%arg0: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
