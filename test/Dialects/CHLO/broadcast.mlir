// Broadcasting ops and the shapes that they accept.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -
// RUN: partita-opt %s --verify-roundtrip > /dev/null

// CHECK-LABEL: func.func @floats
func.func @floats(%arg0: tensor<8x1xf32>, %arg1: tensor<4xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %add = chlo.broadcast_add %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_atan2 %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %atan2 = chlo.broadcast_atan2 %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_divide %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %divide = chlo.broadcast_divide %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_maximum %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %maximum = chlo.broadcast_maximum %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_minimum %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %minimum = chlo.broadcast_minimum %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_multiply %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %multiply = chlo.broadcast_multiply %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_next_after %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %next_after = chlo.broadcast_next_after %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_polygamma %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %polygamma = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_power %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %power = chlo.broadcast_power %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_remainder %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %remainder = chlo.broadcast_remainder %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_subtract %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %subtract = chlo.broadcast_subtract %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_zeta %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %zeta = chlo.broadcast_zeta %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: chlo.broadcast_complex %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xcomplex<f32>>
  %complex = chlo.broadcast_complex %arg0, %arg1 : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%arg0: tensor<i32>, %arg1: tensor<4xi32>) {
  // CHECK: chlo.broadcast_and %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %and = chlo.broadcast_and %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: chlo.broadcast_or %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %or = chlo.broadcast_or %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: chlo.broadcast_xor %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %xor = chlo.broadcast_xor %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: chlo.broadcast_shift_left %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %shift_left = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %shift_right_arithmetic = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: chlo.broadcast_shift_right_logical %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %shift_right_logical = chlo.broadcast_shift_right_logical %arg0, %arg1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @dimensions
func.func @dimensions(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?x1xf32>, %arg3: tensor<1x?xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_add %arg1, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = chlo.broadcast_add %arg1, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: chlo.broadcast_add %arg2, %arg3 : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %2 = chlo.broadcast_add %arg2, %arg3 : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  // CHECK: chlo.broadcast_add %arg0, %arg2 : (tensor<4x8xf32>, tensor<?x1xf32>) -> tensor<4x8xf32>
  %3 = chlo.broadcast_add %arg0, %arg2 : (tensor<4x8xf32>, tensor<?x1xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @choices
func.func @choices(%arg0: tensor<8x1xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) {
  // CHECK: chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xi1>
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xi1>
  // CHECK: chlo.broadcast_compare %arg1, %arg1 {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction NE>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = chlo.broadcast_compare %arg1, %arg1 {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction NE>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: chlo.broadcast_select %arg2, %arg0, %arg1 : (tensor<i1>, tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2 = chlo.broadcast_select %arg2, %arg0, %arg1 : (tensor<i1>, tensor<8x1xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}
