// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of dots, convolutions and einsums.

// CHECK-LABEL: func @dots
func.func @dots(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3x4xf32>, %d: tensor<4x5xf32>) {
  // CHECK-NEXT: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK-NEXT: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] {note} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf64>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] {note} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf64>
  // CHECK-NEXT: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [] x [], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [] x [], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
  // CHECK-NEXT: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %3 = stablehlo.dot %c, %d, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: stablehlo.dot %{{.*}}, %{{.*}} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %4 = stablehlo.dot %c, %d : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ij,jk->ik" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %5 = stablehlo.einsum %c, %d, config = "ij,jk->ik" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: stablehlo.unary_einsum %{{.*}}, config = "ij->i" : (tensor<3x4xf32>) -> tensor<3xf32>
  %6 = stablehlo.unary_einsum %c, config = "ij->i" : (tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @convolutions
func.func @convolutions(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>, %p: tensor<2x2xi64>) {
  // CHECK-NEXT: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = {{\[}}[0, 1], [1, 1]{{\]}}, lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x3x15x8xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x3x15x8xf32>
  // CHECK-NEXT: dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 1, 0, b], window = {} {
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 1, 0, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x6x6x2xf32>
  // CHECK-NEXT: "stablehlo.dynamic_conv"(%{{.*}}, %{{.*}}, %{{.*}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}>
  %2 = "stablehlo.dynamic_conv"(%x, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi64>) -> tensor<2x?x?x8xf32>
  return
}

// Numbers that are no permutation have a form of their own.
// CHECK: func private @raw() attributes {numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 1, kernel_spatial_dimensions = [2, 3], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}
func.func private @raw() attributes {numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_spatial_dimensions = [1, 2], kernel_output_feature_dimension = 1, kernel_spatial_dimensions = [2, 3], output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}
