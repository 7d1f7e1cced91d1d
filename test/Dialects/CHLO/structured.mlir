// Constants, top_k, ragged_dot and scan.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -
// RUN: partita-opt %s --verify-roundtrip > /dev/null

// CHECK-LABEL: func.func @constants
func.func @constants(%arg0: tensor<4x?xf32>) {
  // CHECK: chlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: chlo.constant {note = "kept"} dense<0.000000e+00> : tensor<4x4xf32>
  %1 = chlo.constant {note = "kept"} dense<0.0> : tensor<4x4xf32>
  // CHECK: "chlo.constant_like"(%arg0) <{value = 3.200000e+00 : f64}> : (tensor<4x?xf32>) -> tensor<4x?xf64>
  %2 = "chlo.constant_like"(%arg0) {value = 3.2 : f64} : (tensor<4x?xf32>) -> tensor<4x?xf64>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%arg0: tensor<3x8xf32>, %arg1: tensor<?xui8>) {
  // CHECK: chlo.top_k(%arg0, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %0:2 = chlo.top_k(%arg0, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  // CHECK: chlo.top_k(%arg0, k = 8, is_stable = false) {note = 1 : i32} : tensor<3x8xf32> -> (tensor<3x8xf32>, tensor<3x8xi32>)
  %1:2 = chlo.top_k(%arg0, k = 8, is_stable = false) {note = 1 : i32} : tensor<3x8xf32> -> (tensor<3x8xf32>, tensor<3x8xi32>)
  // CHECK: chlo.top_k(%arg1, k = 100) : tensor<?xui8> -> (tensor<100xui8>, tensor<100xi32>)
  %2:2 = chlo.top_k(%arg1, k = 100) : tensor<?xui8> -> (tensor<100xui8>, tensor<100xi32>)
  return
}

// The ragged dimension free, contracted and batching.
// CHECK-LABEL: func.func @ragged_dot
func.func @ragged_dot(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %rhs_plain: tensor<2x5x7xf32>,
                      %g: tensor<3xi64>, %bg: tensor<2x4xi64>, %g2: tensor<4xi32>) {
  // CHECK: "chlo.ragged_dot"(%{{.*}}, %{{.*}}, %{{.*}}) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2],
      lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>]
  } : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  // CHECK: #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>
  %1 = "chlo.ragged_dot"(%lhs, %rhs_plain, %bg) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      rhs_contracting_dimensions = [1], lhs_batching_dimensions = [0],
      rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2],
      lhs_ragged_dimensions = [2], rhs_group_dimensions = []>
  } : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<2x4xi64>) -> tensor<4x2x11x7xf32>
  // CHECK: lhs_ragged_dimensions = [0]
  %2 = "chlo.ragged_dot"(%lhs, %rhs_plain, %g2) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0]>
  } : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<4xi32>) -> tensor<2x11x7xf32>
  return
}

// CHECK-LABEL: func.func @scan
func.func @scan(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // CHECK: chlo.scan(%arg0) inits (%arg1) dimension=1 {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2xi32>, %{{.*}}: tensor<2xi32>):
  // CHECK: } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    %s = stablehlo.add %in, %carry : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  // CHECK: chlo.scan(%arg0) inits () dimension=0 attributes {is_associative = true, is_reverse = true, note = "kept"} {
  %1 = chlo.scan(%arg0) inits () dimension=0 attributes {is_associative = true, is_reverse = true, note = "kept"} {
  ^bb0(%in: tensor<3xi32>):
    stablehlo.return %in : tensor<3xi32>
  } : (tensor<2x3xi32>) -> tensor<2x3xi32>
  // Without inputs the size of the scanned dimension is an attribute.
  // CHECK: chlo.scan() inits (%arg1) dimension=0 attributes {scan_dim_size = 5 : i64} {
  %2:2 = chlo.scan() inits (%arg1) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%carry: tensor<2xi32>):
    stablehlo.return %carry, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2xi32>) -> (tensor<5x2xi32>, tensor<2xi32>)
  return
}
