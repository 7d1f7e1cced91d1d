// RUN: partita-opt %s --spmd-sink-readers | FileCheck %s
// RUN: partita-opt %s --spmd-sink-readers --spmd-combine-collectives | FileCheck %s --check-prefix=COMBINED

spmd.mesh @m = <["x"=2, "y"=3]>

// An update, with the constant that only it reads, goes to where it is returned:
// then both sums can be one.
// CHECK-LABEL: func @updates
// COMBINED-LABEL: func @updates
// COMBINED: spmd.all_reduce add %arg0, %
func.func @updates(%a: tensor<8xf32>, %b: tensor<8xf32>, %r: tensor<f32>) -> (tensor<4x2xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = spmd.all_reduce add %arg0
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %arg1
  // CHECK-NEXT: %[[B:.*]] = spmd.all_reduce add %[[T]]
  // CHECK-NEXT: %[[R:.*]] = stablehlo.broadcast_in_dim
  // CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %[[A]], %[[R]]
  // CHECK-NEXT: stablehlo.reshape %[[M]]
  // CHECK-NEXT: return
  %0 = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8xf32>
  %3 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<4x2xf32>
  %4 = stablehlo.tanh %b : tensor<8xf32>
  %5 = spmd.all_reduce add %4 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  return %3, %5 : tensor<4x2xf32>, tensor<8xf32>
}

// A sum over elements would hold the large value for longer; it stays.
// CHECK-LABEL: func @shrinks
// CHECK: spmd.all_gather
// CHECK-NEXT: stablehlo.slice
// CHECK-NEXT: stablehlo.tanh
func.func @shrinks(%a: tensor<8xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
  %0 = spmd.all_gather %a [{"x"}] on @m : (tensor<8xf32>) -> tensor<16xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<16xf32>) -> tensor<2xf32>
  %2 = stablehlo.tanh %a : tensor<8xf32>
  return %1, %2 : tensor<2xf32>, tensor<8xf32>
}
