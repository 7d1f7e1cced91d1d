// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of constants and of ops that move whole dimensions.

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK-NEXT: %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-NEXT: %cst = stablehlo.constant {note} dense<1.000000e+00> : tensor<f32>
  %1 = stablehlo.constant {note} dense<1.0> : tensor<f32>
  // CHECK-NEXT: stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>
  %2 = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  // CHECK-NEXT: stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %3 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  // CHECK-NEXT: stablehlo.constant dense_resource<bytes> : tensor<2xf32>
  %4 = stablehlo.constant dense_resource<bytes> : tensor<2xf32>
  return
}

// CHECK-LABEL: func @moves
func.func @moves(%a: tensor<2x3xf32>, %s: tensor<f32>) {
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<2x3xi32>
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK-NEXT: stablehlo.broadcast %{{.*}}, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.broadcast %a, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  %3 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %5 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK-NEXT: stablehlo.reverse %{{.*}}, dims = [0, 1] : tensor<2x3xf32>
  %6 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %7 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, -1], high = [2, 0], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<6x2xf32>
  %8 = stablehlo.pad %a, %s, low = [1, -1], high = [2, 0], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<6x2xf32>
  // CHECK-NEXT: stablehlo.bitcast_convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  %9 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  // CHECK-NEXT: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %10 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  // CHECK-NEXT: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %11 = stablehlo.set_dimension_size %a, %10, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  return
}

// The long form of bounds is read too.
// CHECK-LABEL: func @bounds(%{{.*}}: tensor<?x4xf32, #stablehlo.bounds<8, ?>>)
func.func @bounds(%a: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [8, ?]>>) {
  return
}

// CHECK-LABEL: func @dynamic
func.func @dynamic(%a: tensor<?x3xf32>, %shape: tensor<2xi32>, %s: tensor<f32>) {
  // CHECK-NEXT: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi32>) -> tensor<?x3xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x3xi32>
  // CHECK-NEXT: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %1 = stablehlo.dynamic_reshape %a, %shape : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  // CHECK-NEXT: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [0, 1] {known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %a, %shape, dims = [0, 1] {known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  // CHECK-NEXT: stablehlo.dynamic_pad %{{.*}} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %3 = stablehlo.dynamic_pad %a, %s, %shape, %shape, %shape : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

{-#
  dialect_resources: {
    builtin: { bytes: "0x040000000000803F00000040" }
  }
#-}
