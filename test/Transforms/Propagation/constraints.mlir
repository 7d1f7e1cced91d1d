// Constraints, groups and barriers.
// RUN: partita-opt --split-input-file --spmd-propagate-shardings --spmd-verify-propagated %s | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=3]>

// A closed constraint is the sharding of its input.
// CHECK-LABEL: func.func @input
func.func @input(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.tanh {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  %0 = stablehlo.tanh %a : tensor<8xf32>
  // CHECK: spmd.constraint {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]}
  %1 = spmd.constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = stablehlo.negate %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// Two constraints that disagree act on their own uses only.
// CHECK-LABEL: func.func @disagree
// CHECK-SAME: tensor<12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, tensor<12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}
func.func @disagree(%a: tensor<12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<12xf32>, tensor<12xf32>) {
  %1 = spmd.constraint %a <@mesh, [{"x"}]> : tensor<12xf32>
  %2 = spmd.constraint %a <@mesh, [{"y"}]> : tensor<12xf32>
  return %1, %2 : tensor<12xf32>, tensor<12xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// A constraint on a loop's result moves behind it and takes its uses; what flows
// around the loop stays free.
// CHECK-LABEL: func.func @loop
func.func @loop(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%iter = %a) : tensor<8xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.tanh %iter : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  // CHECK: %[[C:.*]] = spmd.constraint
  // CHECK: stablehlo.negate %[[C]]
  %2 = stablehlo.negate %0 : tensor<8xf32>
  %3 = spmd.constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// Members of a group are sharded alike.
// CHECK-LABEL: func.func @group
// CHECK-SAME: %arg1: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}
func.func @group(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  spmd.group %0 id = 3 : tensor<8xf32>
  spmd.group %b id = 3 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// Through a barrier in one direction only.
// CHECK-LABEL: func.func @barrier
// CHECK-SAME: %arg1: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}
// CHECK-SAME: -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}
func.func @barrier(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %0 = spmd.propagation_barrier %a allowed = forward : tensor<8xf32>
  %1 = spmd.propagation_barrier %b allowed = forward : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
