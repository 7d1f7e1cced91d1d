// Every form of mesh, sharding and rule is read, and printed to a fixed point in
// pretty form, in generic form and with locations.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -

#by_y = #sdy.sharding<@mesh, [{"y"}, {}]>

// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @maximal = <[], device_ids=[3]>
// CHECK: sdy.mesh @one = <["a"=1]>
sdy.mesh @one = <["a"=1], device_ids=[0]>
// CHECK: sdy.mesh @order = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @order = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
// An identity order is left out.
// CHECK: sdy.mesh @identity = <["a"=2, "b"=2]>
sdy.mesh @identity = <["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>
// CHECK: sdy.mesh @noted = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
sdy.mesh @noted = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
// CHECK: sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2, "a b"=3]>
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2, "a b"=3]>

// CHECK-LABEL: func.func private @shardings(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z", ?}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p12]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)2}]>}
// CHECK-SAME: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a b"}], replicated={"y", "z"}, unreduced={"x":(1)2}>}
// CHECK-SAME: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x", "z"}>}
// CHECK-SAME: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"x"}>}
// CHECK-SAME: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x"}>}
// CHECK-SAME: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}
// CHECK-SAME: tensor<?x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// CHECK-SAME: tensor<4xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}
// CHECK-SAME: tensor<4xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}]>}
// CHECK-SAME: -> (tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>})
func.func private @shardings(
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z", ?}]>},
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>},
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p12]>},
  tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)2}]>},
  tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a b"}], unreduced={"x":(1)2}, replicated={"y", "z"}>},
  tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x", "z"}>},
  tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"x"}>},
  tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=[max]{"x"}>},
  tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=sum{"x"}>},
  tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>},
  tensor<?x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
  tensor<4xf32> {sdy.sharding = #sdy.sharding<@maximal, []>},
  tensor<4xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}]>}
) -> (tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>})

// CHECK-LABEL: func.func @on_ops
func.func @on_ops(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>]>}
  %0:2 = call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>]>} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  // The elements of a list may be written in full or be aliases.
  // CHECK: call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}]>, <@mesh, [{"y"}, {}]>]>}
  %1:2 = call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@mesh, [{"z"}, {}]>, #by_y]>} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  // An op without results may name the device that it runs on.
  // CHECK: call @none() {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>}
  call @none() {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : () -> ()
  // CHECK: return {sdy.sharding = #sdy.sharding_per_value<[]>}
  return {sdy.sharding = #sdy.sharding_per_value<[]>} %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}
func.func private @two(tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
func.func private @none()

// CHECK-LABEL: func.func @rules
func.func @rules(%arg0: tensor<2x3x5x7xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<f32>) {
  // CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, k, l]) {i=2, j=3, k=5, l=7} reduction={j} need_replication={i, l} permutation={k} blocked_propagation={l}, custom>
  %0 = call @f(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, k, l]) {i=2, j=3, k=5, l=7} reduction={j} need_replication={i, l} permutation={k} blocked_propagation={l}, custom>} : (tensor<2x3x5x7xf32>) -> tensor<2x5x7xf32>
  // CHECK: #sdy.op_sharding_rule<([ij, k], [k, i])->([ijk]) {i=2, j=4, k=8589934592}>
  %1 = call @g(%arg1, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k],[k, i])->([ijk]) {i=2, j=4, k=8589934592}>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<32xf32>
  // CHECK: #sdy.op_sharding_rule<([], [])->([])>
  %2 = call @h(%arg2, %arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}
func.func private @f(tensor<2x3x5x7xf32>) -> tensor<2x5x7xf32>
func.func private @g(tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<32xf32>
func.func private @h(tensor<f32>, tensor<f32>) -> tensor<f32>

// Factors beyond z are z_1, z_2, ...
// CHECK-LABEL: func.func @many_factors
func.func @many_factors(%arg0: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) {
  // CHECK: ([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([ij, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, zz_1z_2])
  %0 = call @m(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([ij, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, zz_1z_2]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2}>} : (tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<4x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x8xf32>
  return
}
func.func private @m(tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<4x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x8xf32>
