// RUN: partita-opt %s --split-input-file --spmd-partition --spmd-verify-partitioned | FileCheck %s

// Signatures become local and keep what the whole was; a reshard of partial sums
// becomes the collective of its plan.
// CHECK-LABEL: func.func @partial_sums
// CHECK-SAME:    %arg0: tensor<4x2xf32> {spmd.global_type = tensor<8x8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}
// CHECK-SAME:    -> (tensor<4x4xf32> {spmd.global_type = tensor<8x4xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>})
// CHECK-NEXT:    %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %[[SUM:.*]] = spmd.all_reduce add %[[DOT]] {"y"} on @mesh
// CHECK-NEXT:    return %[[SUM]]
spmd.mesh @mesh = <["x"=2, "y"=4]>
func.func @partial_sums(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>]} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = spmd.reshard %0 <@mesh, [{"x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Uneven blocks are padded; where the padding would count it is made neutral, by
// position in the whole array.
// CHECK-LABEL: func.func @padding
// CHECK-SAME:    %arg0: tensor<2xf32>
// CHECK:         %[[INDEX:.*]] = spmd.axis_index {"y"} on @mesh
// CHECK:         %[[SIZE:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK:         %[[INSIDE:.*]] = stablehlo.compare LT
// CHECK:         %[[MASKED:.*]] = stablehlo.select %[[INSIDE]], %arg0
// CHECK:         stablehlo.reduce(%[[MASKED]] init:
// CHECK:         spmd.all_reduce max
spmd.mesh @mesh = <["x"=2, "y"=4]>
func.func @padding(%a: tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> (tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0] {spmd.shardings = [#spmd.sharding<@mesh, [], unreduced=[max]{"y"}>]} : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  %1 = spmd.reshard %0 <@mesh, []> {spmd.shardings = [#spmd.sharding<@mesh, []>]} : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// An even elementwise program is the same program on smaller types.
// CHECK-LABEL: func.func @local
// CHECK-NEXT:    %[[E:.*]] = stablehlo.exponential %arg0 : tensor<3x4xf32>
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[E]], %arg0 : tensor<3x4xf32>
// CHECK-NEXT:    return %[[A]]
spmd.mesh @mesh = <["x"=2]>
func.func @local(%a: tensor<6x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.exponential %a {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<6x4xf32>
  %1 = stablehlo.add %0, %a {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// -----

// A manual region is its body: the user's collectives are already local.
// CHECK-LABEL: func.func @manual
// CHECK-SAME:    %arg0: tensor<4xf32>
// CHECK-NEXT:    %[[SUM:.*]] = spmd.all_reduce add %arg0 {"x"} on @mesh
// CHECK-NEXT:    return %[[SUM]]
spmd.mesh @mesh = <["x"=2]>
func.func @manual(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  %0 = spmd.manual (%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = spmd.all_reduce add %b {"x"} on @mesh {spmd.shardings = [#spmd.sharding<@mesh, [{}]>]} : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Loops and calls carry local values.
// CHECK-LABEL: func.func @flow
// CHECK:         stablehlo.while(%{{.*}} = %arg0) : tensor<2x8xf32>
// CHECK:           %[[T:.*]] = stablehlo.transpose {{.*}} -> tensor<8x2xf32>
// CHECK-NEXT:      %[[R:.*]] = spmd.all_to_all %[[T]]
// CHECK-NEXT:      stablehlo.return %[[R]] : tensor<2x8xf32>
// CHECK:         call @callee(%{{.*}}) : (tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK:       func.func private @callee(%arg0: tensor<2x8xf32>
spmd.mesh @mesh = <["x"=4]>
func.func @flow(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<i1> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.while(%v = %a) : tensor<8x8xf32> attributes {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = stablehlo.transpose %v, dims = [1, 0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"x"}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = spmd.reshard %2 <@mesh, [{"x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x8xf32>
    stablehlo.return %3 : tensor<8x8xf32>
  }
  %1 = call @callee(%0) {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @callee(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.negate %a {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
