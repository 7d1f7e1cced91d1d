// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s -o /dev/null

spmd.mesh @m = <["x"=4, "y"=2, "z"=3, "w"=8]>

// CHECK-LABEL: func.func @signature
// CHECK-SAME: spmd.sharding = #spmd.sharding<@m, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced=[max]{"w"}>
// CHECK-SAME: -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {?}]>})
func.func @signature(
    %arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced=[max]{"w"}>})
    -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {?}]>}) {
  return %arg0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @forms
func.func @forms(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>, %arg2: tensor<7x6xi32>) {
  // CHECK: spmd.reshard %{{.*}} <@m, [{"x", "y"}, {"z"}]> : tensor<8x6xf32>
  %0 = spmd.reshard %arg0 <@m, [{"x", "y"}, {"z"}]> : tensor<8x6xf32>
  // CHECK: <@m, [{"x":(1)2}, {"x":(2)2, "w":(2)2, ?}p0]>
  %1 = spmd.reshard %arg0 <@m, [{"x":(1)2}, {"x":(2)2, "w":(2)2, ?}p0]> : tensor<8x6xf32>
  // CHECK: <@m, [{"w":(4)2, "w":(1)2}, {}], replicated={"w":(2)2}>
  %2 = spmd.reshard %arg0 <@m, [{"w":(4)2, "w":(1)2}, {}], replicated={"w":(2)2}> : tensor<8x6xf32>
  // CHECK: <@m, [{}, {}], unreduced={"x", "y"}>
  %3 = spmd.reshard %arg0 <@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x6xf32>
  // The add kind is not written.
  // CHECK: <@m, [{}, {}], unreduced={"x"}>
  %4 = spmd.reshard %arg0 <@m, [{}, {}], unreduced=[add]{"x"}> : tensor<8x6xf32>
  // CHECK: <@m, []> : tensor<f32>
  %5 = spmd.reshard %arg1 <@m, []> : tensor<f32>
  // CHECK: <@m, [{?}p2, {}], replicated={"x", "y"}, unreduced=[xor]{"z"}>
  %6 = spmd.reshard %arg2 <@m, [{?}p2, {}], replicated={"x", "y"}, unreduced=[xor]{"z"}> : tensor<7x6xi32>
  // Sizes need not divide.
  // CHECK: <@m, [{"x", "z"}, {"w"}]> : tensor<7x6xi32>
  %7 = spmd.reshard %arg2 <@m, [{"x", "z"}, {"w"}]> : tensor<7x6xi32>
  return
}

// Attributes by themselves.
// CHECK-LABEL: func.func private @alone
// CHECK-SAME: test.axes = #spmd.axes<{"x", "y":(1)2}>
// CHECK-SAME: test.axis = #spmd.axis<"x"=4>
// CHECK-SAME: test.dim = #spmd.dim<{"x", ?}p3>
// CHECK-SAME: test.direction = #spmd<direction forward>
// CHECK-SAME: test.interval = #spmd.interval<-1 + i*4 : 6>
// CHECK-SAME: test.kind = #spmd<reduction min>
// CHECK-SAME: test.mesh = #spmd.mesh<["x"=2]>
// CHECK-SAME: test.move = #spmd.move<{"x"}: 0 -> 1>
// CHECK-SAME: test.ref = #spmd.axis_ref<"x":(2)4>
// CHECK-SAME: test.type = !spmd.future<tensor<4xf32>, tensor<i1>>
func.func private @alone() attributes {
  test.axes = #spmd.axes<{"x", "y":(1)2}>, test.axis = #spmd.axis<"x"=4>,
  test.dim = #spmd.dim<{"x", ?}p3>, test.direction = #spmd<direction forward>,
  test.interval = #spmd.interval<-1 + i*4 : 6>, test.kind = #spmd<reduction min>,
  test.mesh = #spmd.mesh<["x"=2]>, test.move = #spmd.move<{"x"}: 0 -> 1>,
  test.ref = #spmd.axis_ref<"x":(2)4>,
  test.type = !spmd.future<tensor<4xf32>, tensor<i1>>}

// CHECK-LABEL: func.func @discardable
func.func @discardable(%arg0: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  // CHECK: call @callee(%{{.*}}) {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}]>, #spmd.sharding<@m, [{}, {"y"}]>]}
  %0:2 = call @callee(%arg0) {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}]>, #spmd.sharding<@m, [{}, {"y"}]>]} : (tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>)
  return %0#0, %0#1 : tensor<8x6xf32>, tensor<8x6xf32>
}
func.func private @callee(tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>)

// An op without results may name the one device that runs it.
spmd.mesh @one_device = <[], device_ids=[3]>
// CHECK-LABEL: func.func @pinned
func.func @pinned() {
  // CHECK: call @effect() {spmd.shardings = [#spmd.sharding<@one_device, []>]}
  call @effect() {spmd.shardings = [#spmd.sharding<@one_device, []>]} : () -> ()
  return
}
func.func private @effect()
