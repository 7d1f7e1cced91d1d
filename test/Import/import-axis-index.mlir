// RUN: partita-opt %s --spmd-import-collectives --split-input-file | FileCheck %s

spmd.mesh @m = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<8xi32>, tensor<8xi32>, tensor<8xui32>, tensor<8xi32>, tensor<8xui32>) {
  %0:5 = spmd.manual () in_shardings=[] out_shardings=[<@m, [{"x", "y"}]>, <@m, [{"x", "y"}]>, <@m, [{"x", "y"}]>, <@m, [{"x", "y"}]>, <@m, [{"x", "y"}]>] manual_axes={"x", "y"} () {
    %id = stablehlo.partition_id : tensor<ui32>
    %one = stablehlo.constant dense<1> : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %four = stablehlo.constant dense<4> : tensor<ui32>
    // CHECK-NOT: partition_id
    // CHECK-NOT: stablehlo.divide
    // CHECK-DAG: %[[X:.*]] = spmd.axis_index {"x"} on @m : tensor<i32>
    // CHECK-DAG: %[[Y:.*]] = spmd.axis_index {"y"} on @m : tensor<i32>
    // CHECK-DAG: %[[HALF:.*]] = spmd.axis_index {"x":(2)2} on @m : tensor<i32>
    // CHECK-DAG: %[[ALL:.*]] = spmd.axis_index {"x", "y"} on @m : tensor<i32>
    %xq = stablehlo.divide %id, %two : tensor<ui32>
    %xr = stablehlo.remainder %xq, %four : tensor<ui32>
    %x = stablehlo.convert %xr : (tensor<ui32>) -> tensor<i32>
    %yq = stablehlo.divide %id, %one : tensor<ui32>
    %yr = stablehlo.remainder %yq, %two : tensor<ui32>
    %y = stablehlo.convert %yr : (tensor<ui32>) -> tensor<i32>
    %half = stablehlo.remainder %xq, %two : tensor<ui32>
    // One device of a single group: a constant.
    %nothing = stablehlo.remainder %id, %one : tensor<ui32>
    %none = stablehlo.convert %nothing : (tensor<ui32>) -> tensor<i32>
    // CHECK-DAG: stablehlo.convert %[[ALL]] : (tensor<i32>) -> tensor<ui32>
    // CHECK-DAG: stablehlo.convert %[[HALF]] : (tensor<i32>) -> tensor<ui32>
    // CHECK-DAG: stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reshape %x : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.reshape %y : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %half : (tensor<ui32>) -> tensor<1xui32>
    %4 = stablehlo.reshape %none : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    spmd.return %1, %2, %3, %4, %5 : tensor<1xi32>, tensor<1xi32>, tensor<1xui32>, tensor<1xi32>, tensor<1xui32>
  } : () -> (tensor<8xi32>, tensor<8xi32>, tensor<8xui32>, tensor<8xi32>, tensor<8xui32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<8xi32>, tensor<8xi32>, tensor<8xui32>, tensor<8xi32>, tensor<8xui32>
}

// -----

// The number of a device on a mesh in irregular order is looked up.
spmd.mesh @m = <["x"=4], device_ids=[0, 1, 3, 2]>
// CHECK-LABEL: func.func @main
func.func @main() -> tensor<4xui32> {
  %0 = spmd.manual () in_shardings=[] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} () {
    // CHECK: %[[I:.*]] = spmd.axis_index {"x"} on @m : tensor<i32>
    // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %{{.*}}, %[[I]], sizes = [1]
    %id = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    spmd.return %1 : tensor<1xui32>
  } : () -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// -----

// JAX's index within a partly manual region: the inner region goes.
spmd.mesh @m = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<16x8xi32>) -> tensor<16x8xi32> {
  // CHECK-NEXT: spmd.manual (%arg0)
  // CHECK-NEXT: %[[I:.*]] = spmd.axis_index {"y"} on @m : tensor<i32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %[[I]]
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{?}, {"y", ?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%a: tensor<16x4xi32>) {
    %1 = spmd.manual () in_shardings=[] out_shardings=[<@m, []>] manual_axes={"x"} () {
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %id = stablehlo.partition_id : tensor<ui32>
      %q = stablehlo.divide %id, %one : tensor<ui32>
      %r = stablehlo.remainder %q, %two : tensor<ui32>
      %i = stablehlo.convert %r : (tensor<ui32>) -> tensor<i32>
      spmd.return %i : tensor<i32>
    } : () -> tensor<i32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<16x4xi32>
    %3 = stablehlo.add %a, %2 : tensor<16x4xi32>
    spmd.return %3 : tensor<16x4xi32>
  } : (tensor<16x8xi32>) -> tensor<16x8xi32>
  return %0 : tensor<16x8xi32>
}
