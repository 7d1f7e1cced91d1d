// Loops, branches, calls and manual regions pass shardings like any op.
// RUN: partita-opt --split-input-file --spmd-propagate-shardings --spmd-verify-propagated %s | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=3]>

// What flows into a loop, around it and out of it is sharded alike; the body's
// constraint reaches the argument.
// CHECK-LABEL: func.func @while
// CHECK-SAME:  %arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}
func.func @while(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>) -> tensor<8x6xf32> {
  // CHECK: stablehlo.while
  // CHECK-SAME: spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>, #spmd.sharding<@mesh, []>]
  %0:2 = stablehlo.while(%iter = %arg0, %i = %arg1) : tensor<8x6xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    // CHECK: stablehlo.tanh {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]}
    %1 = stablehlo.tanh %iter : tensor<8x6xf32>
    %2 = spmd.constraint %1 <@mesh, [{"x"}, {}]> : tensor<8x6xf32>
    stablehlo.return %2, %i : tensor<8x6xf32>, tensor<i32>
  }
  return %0#0 : tensor<8x6xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// From one branch of an if to its result and the other branch.
// CHECK-LABEL: func.func @if
// CHECK-SAME:  -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>})
func.func @if(%pred: tensor<i1>, %a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>},
              %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: "stablehlo.if"
  // CHECK: stablehlo.tanh {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  // CHECK: stablehlo.negate {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  // CHECK: {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : (tensor<i1>) -> tensor<8xf32>
  %0 = "stablehlo.if"(%pred) ({
    %1 = stablehlo.tanh %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %2 = stablehlo.negate %b : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// Through a call, into the callee's signature.
// CHECK-LABEL: func.func @call
func.func @call(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: call @f{{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @f
// CHECK-SAME: %arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>})
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// The body sees free axes only; y passes through the region, x stays outside.
// CHECK-LABEL: func.func @manual
// CHECK-SAME:  -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>})
func.func @manual(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x6xf32> {
  // CHECK: spmd.manual
  // CHECK-SAME: in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>]
  // CHECK: stablehlo.tanh {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]}
  %0 = "spmd.manual"(%a) <{in_shardings = [#spmd.sharding<@mesh, [{"x"}, {?}]>],
                           out_shardings = [#spmd.sharding<@mesh, [{"x"}, {?}]>],
                           manual_axes = #spmd.axes<{"x"}>}> ({
  ^bb0(%b: tensor<4x6xf32>):
    %1 = stablehlo.tanh %b : tensor<4x6xf32>
    spmd.return %1 : tensor<4x6xf32>
  }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// Bodies of reducers carry no shardings.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %z: tensor<f32>) -> tensor<6xf32> {
  // CHECK: stablehlo.reduce
  // CHECK-SAME: {spmd.shardings = [#spmd.sharding<@mesh, [{"y"}]>]}
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    %2 = stablehlo.add %1, %l : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
