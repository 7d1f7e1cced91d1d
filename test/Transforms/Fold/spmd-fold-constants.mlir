// RUN: partita-opt --spmd-fold-constants %s | FileCheck %s

spmd.mesh @mesh = <["x"=2]>

// Integers on constants are folded, with the op's sharding.
// CHECK-LABEL: func.func @integers
func.func @integers() -> (tensor<2xi32>, tensor<2xi1>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.constant dense<[3, -4]> : tensor<2xi32>
  // CHECK-DAG: stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} dense<[4, -2]> : tensor<2xi32>
  %2 = stablehlo.add %0, %1 {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<2xi32>
  // CHECK-DAG: dense<[false, true]> : tensor<2xi1>
  %3 = stablehlo.compare LT, %2, %0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // CHECK-NOT: stablehlo.add
  // CHECK-NOT: stablehlo.compare
  return %2, %3 : tensor<2xi32>, tensor<2xi1>
}

// Floats are computed where the program says, even if they become integers.
// CHECK-LABEL: func.func @floats
func.func @floats() -> (tensor<f32>, tensor<i32>) {
  %0 = stablehlo.constant dense<1.5> : tensor<f32>
  // CHECK: stablehlo.add
  %1 = stablehlo.add %0, %0 : tensor<f32>
  // CHECK: stablehlo.convert
  %2 = stablehlo.convert %0 : (tensor<f32>) -> tensor<i32>
  return %1, %2 : tensor<f32>, tensor<i32>
}

// A broadcast is shorter than what it makes.
// CHECK-LABEL: func.func @growth
func.func @growth() -> (tensor<100xi32>, tensor<64xi32>) {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  // CHECK: stablehlo.broadcast_in_dim {{.*}} -> tensor<100xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<100xi32>
  // CHECK: stablehlo.constant dense<7> : tensor<64xi32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<64xi32>
  return %1, %2 : tensor<100xi32>, tensor<64xi32>
}
