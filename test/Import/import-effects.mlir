// RUN: partita-opt %s --partita-to=imported --split-input-file --verify-diagnostics | FileCheck %s

// A callback on whole arrays names the device that calls.
sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: custom_call @print(%arg0) {has_side_effect = true, spmd.device = 5 : i64} : (tensor<8xf32>) -> ()
  stablehlo.custom_call @print(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_5, []>]>} : (tensor<8xf32>) -> ()
  // CHECK: custom_call @read(%arg0) {has_side_effect = true, spmd.device = 5 : i64}
  %0:2 = stablehlo.custom_call @read(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_5, []>, <@maximal_mesh_5, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<i32>)
  // Without effects it may run on each.
  // CHECK: custom_call @pure
  // CHECK-NOT: spmd.device
  %1 = stablehlo.custom_call @pure(%a) {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_5, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0#0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// In a manual region each device calls, also from a function; JAX writes a sharding
// without a device there.
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @empty_mesh = <[]>
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    // CHECK: custom_call @print(%{{.*}}) {has_side_effect = true, spmd.each_device} : (tensor<2xf32>) -> ()
    stablehlo.custom_call @print(%b) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>]>} : (tensor<2xf32>) -> ()
    %1 = func.call @inner(%b) : (tensor<2xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @inner
func.func private @inner(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: custom_call @read(%arg0) {has_side_effect = true, spmd.each_device}
  %0 = stablehlo.custom_call @read(%a) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// One device of those that a region is about.
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{this one}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    // expected-error @+2 {{'stablehlo.custom_call' op is to run on device 0 alone, but is in a manual region, where each device runs what stands there}}
    // expected-note @+1 {{fix: move it out of the region, or drop its sharding}}
    stablehlo.custom_call @print(%b) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<2xf32>) -> ()
    sdy.return %b : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
