// The device that calls: one without a mesh around it has its results; one that is not on
// the mesh can give it none.
// RUN: partita-opt %s --partita=to=partitioned --split-input-file --verify-diagnostics | FileCheck %s

sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.if
// CHECK-NOT: spmd.broadcast
func.func @main(%a: tensor<7xf32>) -> tensor<7xf32> {
  %0 = stablehlo.custom_call @read(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=3]>
sdy.mesh @maximal_mesh_6 = <[], device_ids=[6]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @+2 {{'stablehlo.custom_call' op runs on device 6, which is not on mesh #spmd.mesh<["x"=2, "y"=3]> of its results}}
  // expected-note @+1 {{fix: name a device of the mesh}}
  %0 = stablehlo.custom_call @read(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_6, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
