// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @contracting_sizes(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op has contracting dimension 1 of lhs of size 4 and 0 of rhs of size 5}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @batching_sizes(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op has batching dimension 0 of lhs of size 2 and 0 of rhs of size 3}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dim_counts(%a: tensor<3x4xf32>, %b: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op has 1 contracting dimensions of lhs, but 0 of rhs}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @dim_twice(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op batching and contracting dimensions of lhs holds dimension 0 twice}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @dot_result(%a: tensor<3x4xf32>, %b: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op has result 0 of size 5 in dimension 1, but its operands make size 6}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @precisions(%a: tensor<3x4xf32>, %b: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op precision_config has 3 entries for two operands}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<3x4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.dot' op contracts dimension 1 of lhs of size 4 with dimension 0 of rhs of size 5}}
  %0 = stablehlo.dot %a, %b : (tensor<3x4xf32>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @conv_spatial(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op has result 0 of size 8 in dimension 1, but its operands make size 6}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x8x8x8xf32>
  return
}

// -----

func.func @conv_features(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x3x8xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op has 4 input features in 1 groups, but a kernel for 3 features (dimension 2 of rhs)}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x3x8xf32>) -> tensor<2x6x6x8xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op batch_group_count 3 must divide the batch size 2 and the kernel's output features 8}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x6x6x8xf32>
  return
}

// -----

func.func @conv_window(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op strides must be positive, but is 0 in window dimension 1}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x6x6x8xf32>
  return
}

// -----

func.func @conv_roles(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected a spatial dimension's number, 'b' or 'f'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, i]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x6x6x8xf32>
  return
}

// -----

func.func @conv_missing(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{missing spatial dimension 0}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 1, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x6x6x8xf32>
  return
}
