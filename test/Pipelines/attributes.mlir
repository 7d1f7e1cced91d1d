// Discardable attributes that are not shardings are carried to *optimized*
// unchanged: donation, layouts, memory kinds, names of arguments and results,
// frontend attributes, unknown ones; on the module, meshes, functions, arguments,
// results and ops. An op that becomes several passes them to the one that makes its
// result.
// RUN: partita-opt %s --partita="to=optimized objective=bytes" | FileCheck %s
// RUN: partita-opt %s --partita-to=placed | FileCheck %s --check-prefix=PLACED

// CHECK: module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.frontend_attributes = {key = "m"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, test.module = "kept"}
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.frontend_attributes = {key = "m"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, test.module = "kept"} {
  // CHECK: spmd.mesh @mesh = <["x"=4]> {test.mesh}
  sdy.mesh @mesh = <["x"=4]> {test.mesh}

  // CHECK: func.func public @main
  // CHECK-SAME: %arg0: tensor<2x4xf32> {mhlo.layout_mode = "{0,1}", mhlo.memory_kind = "device", {{.*}} test.arg = 1 : i64, tf.aliasing_output = 0 : i32}
  // CHECK-SAME: %arg1: tensor<2x4xf32> {jax.arg_info = "a.b", jax.buffer_donor = true, mhlo.layout_mode = "default", mhlo.memory_kind = "pinned_host",
  // CHECK-SAME: -> (tensor<2x4xf32> {jax.result_info = "result[0]", mhlo.layout_mode = "{1,0}", mhlo.memory_kind = "device", {{.*}} test.res}
  // CHECK-SAME: tensor<1xf32> {jax.result_info = "result[1]",
  // CHECK-SAME: attributes {mhlo.frontend_attributes = {key = "f"}, test.func = "kept"}
  func.func public @main(
      %arg0: tensor<8x4xf32> {mhlo.layout_mode = "{0,1}", mhlo.memory_kind = "device", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, test.arg = 1 : i64, tf.aliasing_output = 0 : i32},
      %arg1: tensor<8x4xf32> {jax.arg_info = "a.b", jax.buffer_donor = true, mhlo.layout_mode = "default", mhlo.memory_kind = "pinned_host", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x4xf32> {jax.result_info = "result[0]", mhlo.layout_mode = "{1,0}", mhlo.memory_kind = "device", test.res}, tensor<4xf32> {jax.result_info = "result[1]"})
      attributes {mhlo.frontend_attributes = {key = "f"}, test.func = "kept"} {
    // CHECK: stablehlo.add {{.*}} {mhlo.frontend_attributes = {key = "add"}, test.op = 7 : i64}
    %0 = stablehlo.add %arg0, %arg1 {mhlo.frontend_attributes = {key = "add"}, test.op = 7 : i64} : tensor<8x4xf32>
    // CHECK: stablehlo.dot_general {{.*}} {test.dot}
    // PLACED: stablehlo.dot_general {{.*}}test.dot
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] {test.dot} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    // CHECK: stablehlo.constant {test.constant}
    %c = stablehlo.constant {test.constant} dense<0.0> : tensor<f32>
    // CHECK: stablehlo.reduce{{.*}} {test.reduce}
    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] {test.reduce} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK: spmd.exchange
    // CHECK: stablehlo.reverse {{.*}} {test.reverse}
    %3 = stablehlo.reverse %0, dims = [0] {test.reverse} : tensor<8x4xf32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    // CHECK: stablehlo.while{{.*}} attributes {test.while}
    %4:2 = stablehlo.while(%i = %z, %v = %3) : tensor<i32>, tensor<8x4xf32> attributes {test.while}
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      // CHECK: stablehlo.compare {{.*}} {test.compare}
      %p = stablehlo.compare LT, %i, %n {test.compare} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      // CHECK: stablehlo.add {{.*}} {test.inner}
      %j = stablehlo.add %i, %one {test.inner} : tensor<i32>
      // CHECK: stablehlo.return {{.*}} {test.return}
      stablehlo.return %j, %v {test.return} : tensor<i32>, tensor<8x4xf32>
    }
    // CHECK: call @f({{.*}}) {test.call}
    %5 = call @f(%4#1) {test.call} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%m: tensor<2x4xf32>) {
      // CHECK: spmd.all_reduce {{.*}} {mhlo.frontend_attributes = {key = "psum"}, test.psum}
      %7 = "stablehlo.all_reduce"(%m) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {mhlo.frontend_attributes = {key = "psum"}, test.psum} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      sdy.return %7 : tensor<2x4xf32>
    // PLACED: } {{.*}}test.manual
    } {test.manual} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: return {test.func_return}
    return {test.func_return} %6, %2 : tensor<8x4xf32>, tensor<4xf32>
  }

  // CHECK: func.func private @f({{.*}}test.callee_arg}) -> ({{.*}}test.callee_res}) attributes {test.callee}
  func.func private @f(%arg0: tensor<8x4xf32> {test.callee_arg}) -> (tensor<8x4xf32> {test.callee_res}) attributes {test.callee} {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    // A pad over shards is an exchange and a mask: the mask makes the result.
    // CHECK: stablehlo.select {{.*}} {test.pad}
    // CHECK-NEXT: return
    %0 = stablehlo.pad %arg0, %c, low = [1, 0], high = [-1, 0], interior = [0, 0] {test.pad} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
