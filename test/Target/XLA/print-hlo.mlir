// A whole module: header, donation, groups, shared bodies, names.
// RUN: partita-translate --spmd-to-hlo %s | FileCheck %s

// CHECK: HloModule jit_step, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, num_partitions=8
// CHECK: combine {
// CHECK-NEXT:   arg.0 = f32[] parameter(0)
// CHECK-NEXT:   arg.1 = f32[] parameter(1)
// CHECK-NEXT:   ROOT add.1 = f32[] add(arg.0, arg.1)
// CHECK-NEXT: }
// CHECK-NOT: add.1 = f32[] add
// CHECK: ENTRY main {
// CHECK:   arg.0 = f32[2,4] parameter(0), metadata={op_name="w"}
// CHECK:   dot.1 = f32[4,4] dot(arg.0, arg.0), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot"}
// CHECK:   all-reduce.1 = f32[4,4] all-reduce(dot.1), channel_id=1, replica_groups=[2,4]<=[4,2]T(1,0), use_global_device_ids=true, to_apply=combine
// CHECK:   constant.1 = f32[] constant(0)
// CHECK:   reduce.1 = f32[4] reduce(all-reduce.1, constant.1), dimensions={0}, to_apply=combine, frontend_attributes={a="say \"b\""}
// CHECK:   ROOT tuple.1 = (f32[2,4], f32[4]) tuple(arg.0, reduce.1)
module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  spmd.mesh @m = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<2x4xf32> {spmd.global_type = tensor<8x4xf32>, tf.aliasing_output = 0 : i32} loc("w"), %arg1: tensor<2x4xf32> {jax.buffer_donor = true}) -> (tensor<2x4xf32>, tensor<4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32> loc("jit(step)/dot")
    %1 = spmd.all_reduce add %0 {"x"} on @m : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] {mhlo.frontend_attributes = {a = "say \22b\22"}} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %arg0, %2 : tensor<2x4xf32>, tensor<4xf32>
  }
}
