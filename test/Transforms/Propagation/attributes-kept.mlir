// Other attributes of arguments, results and ops stay as they are; values that
// are not tensors have no sharding of their own.
// RUN: partita-opt --spmd-propagate-shardings --spmd-verify-propagated %s | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:  %arg0: tensor<8xf32> {jax.buffer_donor = true, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}
// CHECK-SAME:  %arg1: !stablehlo.token
// CHECK-SAME:  -> (tensor<8xf32> {jax.result_info = "result", spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, !stablehlo.token)
func.func @main(%arg0: tensor<8xf32> {jax.buffer_donor = true, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>},
                %arg1: !stablehlo.token) -> (tensor<8xf32> {jax.result_info = "result"}, !stablehlo.token) {
  // CHECK: stablehlo.tanh %arg0 {mhlo.frontend_attributes = {a = "b"}, spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  %0 = stablehlo.tanh %arg0 {mhlo.frontend_attributes = {a = "b"}} : tensor<8xf32>
  // CHECK: stablehlo.after_all
  %1 = stablehlo.after_all %arg1 : !stablehlo.token
  // CHECK: stablehlo.while
  // CHECK-SAME: spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>, #spmd.sharding<@mesh, []>, #spmd.sharding<@mesh, []>]
  %c = stablehlo.constant dense<true> : tensor<i1>
  %2:3 = stablehlo.while(%a = %0, %b = %1, %p = %c) : tensor<8xf32>, !stablehlo.token, tensor<i1>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %3 = stablehlo.tanh %a : tensor<8xf32>
    stablehlo.return %3, %b, %p : tensor<8xf32>, !stablehlo.token, tensor<i1>
  }
  return %2#0, %2#1 : tensor<8xf32>, !stablehlo.token
}
