// RUN: partita-opt %s --spmd-place-reshards --spmd-verify-placed | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=4]>

// An op that is free of conflicts stays as it is.
// CHECK-LABEL: func.func @agree
// CHECK-NEXT:    %[[ADD:.*]] = stablehlo.add %arg0, %arg1
// CHECK-NEXT:    return %[[ADD]]
func.func @agree(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.add %a, %b {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]} : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// A sharded contracting dimension leaves the dot's result unreduced; the
// reduction is a reshard.
// CHECK-LABEL: func.func @partial_sums
// CHECK:         %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK-SAME:      spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>]
// CHECK-NEXT:    %[[SUM:.*]] = spmd.reshard %[[DOT]] <@mesh, [{"x"}, {}]>
// CHECK-NEXT:    return %[[SUM]]
func.func @partial_sums(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<6x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The small operand moves to the layout of the large one, not the other way round.
// CHECK-LABEL: func.func @move_the_small
// CHECK:         %[[B:.*]] = spmd.reshard %arg1 <@mesh, [{}, {"y"}]>
// CHECK-NEXT:    %[[DOT:.*]] = stablehlo.dot_general %arg0, %[[B]]
// CHECK-NEXT:    return %[[DOT]]
func.func @move_the_small(%a: tensor<4096x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<512x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<4096x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]} : (tensor<4096x512xf32>, tensor<512x8xf32>) -> tensor<4096x8xf32>
  return %0 : tensor<4096x8xf32>
}

// One reshard serves two users that want the same layout.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: spmd.reshard
// CHECK-NOT:     spmd.reshard
// CHECK:         return
func.func @shared(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}, tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) {
  return %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
}

// A constraint is carried out, a barrier and a group leave nothing.
// CHECK-LABEL: func.func @constraints
// CHECK:         %[[C:.*]] = spmd.reshard %arg0 <@mesh, [{}, {"y"}]>
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[C]]
// CHECK-NEXT:    return %[[N]]
func.func @constraints(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}) {
  spmd.group %a id=0 : tensor<8x8xf32>
  %0 = spmd.constraint %a <@mesh, [{}, {"y"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : tensor<8x8xf32>
  %1 = spmd.propagation_barrier %0 allowed = none {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : tensor<8x8xf32>
  %2 = stablehlo.negate %1 {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// A loop carry keeps one layout: the initial value and what the body returns are
// resharded to it. Here the whole value is cheapest, once before the loop.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[INIT:.*]] = spmd.reshard %arg0 <@mesh, [{}, {}]>
// CHECK:         %[[W:.*]] = stablehlo.while(%{{.*}} = %[[INIT]])
// CHECK:           %[[T:.*]] = stablehlo.transpose
// CHECK-NEXT:      stablehlo.return %[[T]]
// CHECK:         %[[R:.*]] = spmd.reshard %[[W]] <@mesh, [{"y"}, {}]>
// CHECK-NEXT:    return %[[R]]
func.func @loop(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<i1> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.while(%v = %a) : tensor<8x8xf32> attributes {spmd.shardings = [#spmd.sharding<@mesh, [{"y"}, {}]>]}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.transpose %v, dims = [1, 0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// A call is seen through: its argument and result take the layout in which nothing
// moves. A manual region's operands say how they want to be.
// CHECK-LABEL: func.func @edges
// CHECK-NEXT:    %[[C:.*]] = call @callee(%arg0) {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
// CHECK-NEXT:    spmd.manual (%[[C]])
// CHECK:       func.func private @callee(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>})
func.func @edges(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %0 = call @callee(%a) {spmd.shardings = [#spmd.sharding<@mesh, [{"y"}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = spmd.manual (%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    spmd.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) {
  return %a : tensor<8xf32>
}

// Partial sums are added before they are reduced, once.
// CHECK-LABEL: func.func @add_first
// CHECK:         %[[D1:.*]] = stablehlo.dot_general {{.*}}unreduced={"y"}
// CHECK-NEXT:    %[[D2:.*]] = stablehlo.dot_general {{.*}}unreduced={"y"}
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[D1]], %[[D2]] {{.*}}unreduced={"y"}
// CHECK-NEXT:    %[[R:.*]] = spmd.reshard %[[A]] <@mesh, [{"x"}, {}]>
// CHECK-NEXT:    return %[[R]]
func.func @add_first(%a: tensor<512x256xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<256x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}, %c: tensor<256x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.add %0, %1 {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// A sum that is not linear in the partial sums must wait for them.
// CHECK-LABEL: func.func @not_linear
// CHECK:         %[[D:.*]] = stablehlo.dot_general {{.*}}unreduced={"y"}
// CHECK-NEXT:    %[[R:.*]] = spmd.reshard %[[D]]
// CHECK-NEXT:    stablehlo.tanh %[[R]]
func.func @not_linear(%a: tensor<512x4096xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<4096x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<512x4096xf32>, tensor<4096x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}

// Two users want one layout and one another: two reshards, the second from what is
// nearest.
// CHECK-LABEL: func.func @kept
// CHECK:         %[[G:.*]] = spmd.reshard %arg0 <@mesh, [{}, {}]>
// CHECK:         %[[S:.*]] = spmd.reshard %[[G]] <@mesh, [{"y"}, {}]>
// CHECK-NEXT:    return %[[G]], %[[G]], %[[S]]
func.func @kept(%a: tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}, tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}, tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) {
  return %a, %a, %a : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
}

// A result that propagation alone has sharded may be laid out otherwise, unless it
// takes a donated argument's memory.
// CHECK-LABEL: func.func @free
// CHECK-SAME:    -> (tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x", "y"}, {}]>}, tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
func.func @free(%a: tensor<512x4096xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<4096x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>, tf.aliasing_output = 1 : i32}, %c: tensor<4096x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}, tensor<512x512xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) attributes {spmd.proposed_results = array<i64: 0, 1>} {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<512x4096xf32>, tensor<4096x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<512x4096xf32>, tensor<4096x512xf32>) -> tensor<512x512xf32>
  return %0, %1 : tensor<512x512xf32>, tensor<512x512xf32>
}
