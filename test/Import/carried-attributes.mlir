// Attributes that are not shardings reach the end of the phase unchanged, on the
// module, on meshes, arguments, results and ops of every kind that import
// rewrites.
// RUN: partita-opt %s --pass-pipeline="builtin.module(spmd-import-sdy,spmd-import-mhlo-shardings,spmd-check-meshes,spmd-check-signature,spmd-clone-callees,spmd-import-collectives,spmd-check-manual,spmd-split-constants,spmd-verify-imported)" | FileCheck %s

// CHECK: module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.frontend_attributes = {a = "module"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.frontend_attributes = {a = "module"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  // CHECK: spmd.mesh @m = <["x"=4]> {mhlo.frontend_attributes = {a = "mesh"}}
  sdy.mesh @m = <["x"=4]> {mhlo.frontend_attributes = {a = "mesh"}}
  // CHECK: func.func public @main
  // CHECK-SAME: {mhlo.layout_mode = "default", mhlo.memory_kind = "device", spmd.sharding = #spmd.sharding<@m, [{"x"}]>, tf.aliasing_output = 0 : i32}
  // CHECK-SAME: {jax.buffer_donor = true, mhlo.frontend_attributes = {a = "argument"}}
  // CHECK-SAME: {jax.result_info = "out", mhlo.layout_mode = "{0}", mhlo.memory_kind = "pinned_host"}
  // CHECK-SAME: attributes {mhlo.frontend_attributes = {a = "function"}}
  func.func public @main(
      %arg0: tensor<8xf32> {mhlo.layout_mode = "default", mhlo.memory_kind = "device", sdy.sharding = #sdy.sharding<@m, [{"x"}]>, tf.aliasing_output = 0 : i32},
      %arg1: tensor<8xf32> {jax.buffer_donor = true, mhlo.frontend_attributes = {a = "argument"}})
      -> (tensor<8xf32> {jax.result_info = "out", mhlo.layout_mode = "{0}", mhlo.memory_kind = "pinned_host"})
      attributes {mhlo.frontend_attributes = {a = "function"}} {
    // CHECK: stablehlo.add {{.*}} {mhlo.frontend_attributes = {a = "add"}}
    %0 = stablehlo.add %arg0, %arg1 {mhlo.frontend_attributes = {a = "add"}} : tensor<8xf32>
    // CHECK: spmd.constraint {{.*}} {mhlo.frontend_attributes = {a = "constraint"}}
    %1 = sdy.sharding_constraint %0 <@m, [{"x"}]> {mhlo.frontend_attributes = {a = "constraint"}} : tensor<8xf32>
    // CHECK: spmd.group {{.*}} {mhlo.frontend_attributes = {a = "group"}}
    sdy.sharding_group %1 group_id=0 {mhlo.frontend_attributes = {a = "group"}} : tensor<8xf32>
    // CHECK: spmd.manual
    %2 = sdy.manual_computation(%1) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      // CHECK: spmd.all_reduce {{.*}} {mhlo.frontend_attributes = {a = "psum"}}
      %3 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %6 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }) {mhlo.frontend_attributes = {a = "psum"}} : (tensor<2xf32>) -> tensor<2xf32>
      // CHECK: spmd.permute {{.*}} {mhlo.frontend_attributes = {a = "ppermute"}}
      %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> {mhlo.frontend_attributes = {a = "ppermute"}} : (tensor<2xf32>) -> tensor<2xf32>
      // CHECK: call @f({{.*}}) {mhlo.frontend_attributes = {a = "call"}}
      %5 = func.call @f(%4) {mhlo.frontend_attributes = {a = "call"}} : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %5 : tensor<2xf32>
    // CHECK: } {mhlo.frontend_attributes = {a = "manual"}} :
    } {mhlo.frontend_attributes = {a = "manual"}} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK: stablehlo.constant {mhlo.frontend_attributes = {a = "constant"}}
    %c = stablehlo.constant {mhlo.frontend_attributes = {a = "constant"}} dense<1.0> : tensor<8xf32>
    %6 = stablehlo.multiply %c, %2 : tensor<8xf32>
    // CHECK: stablehlo.constant {mhlo.frontend_attributes = {a = "constant"}}
    %7 = stablehlo.add %c, %6 : tensor<8xf32>
    return %7 : tensor<8xf32>
  }
  // CHECK: func.func private @f(%arg0: tensor<2xf32> {mhlo.frontend_attributes = {a = "private argument"}}) -> tensor<2xf32> attributes {mhlo.frontend_attributes = {a = "private"}}
  func.func private @f(%arg0: tensor<2xf32> {mhlo.frontend_attributes = {a = "private argument"}}) -> tensor<2xf32> attributes {mhlo.frontend_attributes = {a = "private"}} {
    // CHECK: stablehlo.negate %{{.*}} {mhlo.frontend_attributes = {a = "negate"}}
    %0 = stablehlo.negate %arg0 {mhlo.frontend_attributes = {a = "negate"}} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
