// Axes pass along the factors of ops, by stages, until every value is annotated.
// RUN: partita-opt --split-input-file --spmd-propagate-shardings --spmd-verify-propagated %s | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// Forward through an elementwise op, to its other operand and to the result.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME:  %arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}
// CHECK-SAME:  %arg1: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}
// CHECK-SAME:  -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>})
func.func @elementwise(%arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y", ?}]>},
                %arg1: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK: stablehlo.add {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]}
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// A dot takes each operand's free dimension, and shards its contraction on both
// operands.
// CHECK-LABEL: func.func @dot
// CHECK-SAME:  %arg1: tensor<12x16xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {"z"}]>}
func.func @dot(%arg0: tensor<8x12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>},
                %arg1: tensor<12x16xf32> {spmd.sharding = #spmd.sharding<@mesh, [{?}, {"z"}]>})
    -> tensor<8x16xf32> {
  // CHECK: stablehlo.dot {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"z"}]>]}
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// Both operands claim x: the larger one keeps it.
// CHECK-LABEL: func.func @dot_conflict
func.func @dot_conflict(%arg0: tensor<8x12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>},
                %arg1: tensor<12x16xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"x"}]>})
    -> tensor<8x16xf32> {
  // CHECK: stablehlo.dot {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"x"}]>]}
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// A reshape splits z over two dimensions; the function's signature keeps whole
// axes only.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME:  -> (tensor<2x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>})
func.func @reshape(%arg0: tensor<16xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"z"}]>})
    -> tensor<2x8xf32> {
  // CHECK: stablehlo.reshape {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"z":(1)2}, {"z":(2)2}]>]}
  %0 = stablehlo.reshape %arg0 : (tensor<16xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// Axes that the user keeps replicated are not used; those of a result pass
// backward.
// CHECK-LABEL: func.func @replicated
// CHECK-SAME:  %arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}
func.func @replicated(%arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{?}, {?}], replicated={"x"}>})
    -> (tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3, "z"=4]>

// Priority 0 passes before priority 1: the result's rows get x, not z.
// CHECK-LABEL: func.func @priority
// CHECK-SAME:  %arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}
// CHECK-SAME:  %arg1: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"z"}, {}]>}
func.func @priority(%arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>},
                %arg1: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"z"}p1, {}]>})
    -> tensor<8x8xf32> {
  // CHECK: stablehlo.add {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]}
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Without a mesh there is one device.
// CHECK: spmd.mesh @mesh = <[]>
// CHECK-LABEL: func.func @no_mesh
// CHECK-SAME:  %arg0: tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}
func.func @no_mesh(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.tanh {{.*}} {spmd.shardings = [#spmd.sharding<@mesh, [{}]>]}
  %0 = stablehlo.tanh %arg1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
