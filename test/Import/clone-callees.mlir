// RUN: partita-opt %s --spmd-clone-callees | FileCheck %s

// Each call site gets its own function; so do the calls inside the copies.
spmd.mesh @m = <["x"=2]>
// CHECK-LABEL: func.func public @main
func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: call @outer(
  %0 = call @outer(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: call @outer_0(
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: stablehlo.composite "my.op" %{{.*}} {decomposition = @inner}
  %2 = stablehlo.composite "my.op" %1 {decomposition = @inner} : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// Shardings stay with each copy.
// CHECK: func.func private @outer(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>})
// CHECK: func.func private @outer_0(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>})
func.func private @outer(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @inner(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// Two calls in each of two copies and one composite.
// CHECK-COUNT-5: func.func private @inner
// CHECK-NOT: @unused
func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @unused(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
