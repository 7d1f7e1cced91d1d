// RUN: partita-opt %s --spmd-import-sdy --split-input-file | FileCheck %s
// RUN: partita-opt %s --spmd-import-sdy --split-input-file | FileCheck %s --check-prefix=GONE
// GONE-NOT: sdy.

// Meshes keep their symbols; a list that is a transposed iota becomes one.
// CHECK: spmd.mesh @plain = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = []}}
// CHECK: spmd.mesh @permuted = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>
// CHECK: spmd.mesh @single = <[], device_ids=[3]>
sdy.mesh @plain = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = []}}
sdy.mesh @permuted = <["x"=4, "y"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
sdy.mesh @single = <[], device_ids=[3]>

// Signature: open and closed dimensions, priorities, sub-axes, replicated and
// unreduced axes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@plain, [{"x", ?}p1, {"y"}]>}
// CHECK-SAME: %arg1: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@plain, [{"x":(1)2}, {?}], replicated={"x":(2)2}, unreduced=[max]{"y"}>}
// CHECK-SAME: -> (tensor<8x8xf32> {jax.result_info = "out", spmd.sharding = #spmd.sharding<@permuted, [{"y"}, {}]>})
func.func @main(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@plain, [{"x", ?}p1, {"y"}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@plain, [{"x":(1)2}, {?}], replicated={"x":(2)2}, unreduced=[max]{"y"}>})
    -> (tensor<8x8xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@permuted, [{"y"}, {}]>}) {
  // CHECK: stablehlo.add %arg0, %arg1 {spmd.shardings = [#spmd.sharding<@plain, [{"x"}, {"y"}]>]}
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@plain, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  // A single device has as many dimensions as the value.
  // CHECK: stablehlo.custom_call @callback({{.*}}) {spmd.shardings = [#spmd.sharding<@single, [{}, {}]>]}
  %1 = stablehlo.custom_call @callback(%0) {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // An op without results stays on its device.
  // CHECK: stablehlo.custom_call @print({{.*}}) {has_side_effect = true, spmd.shardings = [#spmd.sharding<@single, []>]}
  stablehlo.custom_call @print(%1) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : (tensor<8x8xf32>) -> ()
  return %1 : tensor<8x8xf32>
}

// -----

// A mesh written in place gets a symbol; one on no devices joins the first.
// CHECK: spmd.mesh @mesh = <["a"=2, "b"=2]>
// CHECK: spmd.mesh @none = <[]>
sdy.mesh @none = <[]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: {spmd.sharding = #spmd.sharding<@mesh, [{"a"}]>}
// CHECK-SAME: {spmd.sharding = #spmd.sharding<@mesh, [{}]>}
func.func @main(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=2]>, [{"a"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@none, [{}]>}) -> tensor<8xf32> {
  // CHECK: spmd.constraint %arg1 <@mesh, [{"b"}]> : tensor<8xf32>
  %0 = sdy.sharding_constraint %arg1 <mesh<["a"=2, "b"=2]>, [{"b"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=4, "y"=2]>
// Each op that annotates a value.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8x8xf32>, %token: !stablehlo.token) -> tensor<8x8xf32> {
  // CHECK: %[[C:.*]] = spmd.constraint %arg0 <@m, [{"x"}, {?}]> {some.attr = 1 : i64} : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {?}]> {some.attr = 1 : i64} : tensor<8x8xf32>
  // CHECK: %[[R:.*]] = spmd.reshard %[[C]] <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: spmd.group %[[R]] id = 7 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=7 : tensor<8x8xf32>
  // CHECK: %[[B:.*]] = spmd.propagation_barrier %[[R]] allowed = forward : tensor<8x8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
  // CHECK: %[[K:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8x8xf32>
  %3 = sdy.constant dense<1.0> : tensor<8x8xf32>
  // A token has no layout.
  // CHECK-NOT: !stablehlo.token
  %4 = sdy.sharding_constraint %token <@m, []> : !stablehlo.token
  // CHECK: stablehlo.add %[[B]], %[[K]]
  %5 = stablehlo.add %2, %3 : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["x"=4, "y"=2]>
// Manual regions; the inner one has no operand and takes the rest of the axes.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: spmd.manual (%arg0) in_shardings=[<@m, [{?}, {"y", ?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%arg1: tensor<16x4xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{?}, {"y", ?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%arg1: tensor<16x4xf32>) {
    // CHECK: spmd.manual () in_shardings=[] out_shardings=[<@m, []>] manual_axes={"x"} () {
    %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@m, []>] manual_axes={"x"} () {
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      // CHECK: spmd.return %{{.*}} : tensor<f32>
      sdy.return %c : tensor<f32>
    } : () -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x4xf32>
    // CHECK: spmd.return %{{.*}} : tensor<16x4xf32>
    sdy.return %3 : tensor<16x4xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

sdy.mesh @m = <["x"=4]>
// A named computation goes; its shardings become constraints.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[IN:.*]] = spmd.constraint %arg0 <@m, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[IN]]
  // CHECK-NEXT: %[[OUT:.*]] = spmd.constraint %[[NEG]] <@m, [{?}]> : tensor<8xf32>
  // CHECK-NEXT: return %[[OUT]]
  %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{?}]>] (%arg1: tensor<8xf32>) {
    %1 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=4]>
// Edges go; what they say belongs to the argument, or the loop's result.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>}
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.data_flow_edge %arg0 sharding=<@m, [{"x"}]> : tensor<8xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: stablehlo.while{{.*}}, %[[X:.*]] = %arg0) {{.*}} attributes {spmd.shardings = [#spmd.sharding<@m, []>, #spmd.sharding<@m, [{"x", ?}]>]}
  // CHECK: stablehlo.negate %[[X]]
  %1:2 = stablehlo.while(%i = %c, %x = %0) : tensor<i32>, tensor<8xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    %5 = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %4, %5 : tensor<i32>, tensor<8xf32>
  }
  %3 = sdy.data_flow_edge %1#1 sharding=<@m, [{"x", ?}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=4, "y"=2]>
// A collective of sdy moves a whole array: a reshard. What annotates values in
// the body of an op is dropped.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8xf32> {
  // CHECK: spmd.reshard %arg0 <@m, [{}, {"y"}]>
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {"y"}]> : tensor<8x8xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1]
  %1 = stablehlo.reduce(%0 init: %c) across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %3 = stablehlo.add %a, %b : tensor<f32>
      %4 = sdy.sharding_constraint %3 <@m, []> : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
  return %1 : tensor<8xf32>
}

// -----

// A user's rule becomes a dictionary.
// CHECK: stablehlo.custom_call @f(%arg0) {spmd.sharding_rule = {blocked_propagation = array<i64>, custom, factor_sizes = array<i64: 4, 8, 2>, need_replication = array<i64: 1>, operands = {{\[\[}}array<i64: 0, 2>, array<i64: 1>]], permutation = array<i64>, reduction = array<i64>, results = {{\[\[}}array<i64: 0, 2>]]}}
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j])->([ik]) {i=4, j=8, k=2} need_replication={j}, custom>} : (tensor<8x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
