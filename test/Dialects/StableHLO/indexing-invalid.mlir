// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @slice_limit(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op has limit index 9 above size 8 of operand dimension 0}}
  %0 = stablehlo.slice %a [0:9] : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @slice_start(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op has start index 5 above limit index 4 in dimension 0}}
  %0 = stablehlo.slice %a [5:4] : (tensor<8xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @slice_stride(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op needs a positive stride, not 0 in dimension 0}}
  %0 = stablehlo.slice %a [0:4:0] : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_result(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op has result 0 of size 2 in dimension 0, but its operands make size 3}}
  %0 = stablehlo.slice %a [0:5:2] : (tensor<8xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_starts(%a: tensor<8x6xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op start_indices has 1 entries, but there are 2 operand dimensions}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2, 3] : (tensor<8x6xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_slice_size(%a: tensor<8x6xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op the slice has size 7 in dimension 1, where the operand has size 6}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 7] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @dynamic_update_slice(%a: tensor<8xf32>, %u: tensor<9xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op the update has size 9 in dimension 0, where the operand has size 8}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<9xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @gather_rank(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op offset_dims, collapsed_slice_dims and operand_batching_dims have 1 entries together, but the operand has rank 2}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @gather_components(%a: tensor<8x6xf32>, %i: tensor<5x2xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op start_index_map has 1 entries, but an index has 2 components}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<5x2xi32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @gather_sizes(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op slice_sizes has 7 in dimension 1, where the operand has size 6}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x7xf32>
  return
}

// -----

func.func @gather_collapsed(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op slice_sizes has 2 in dimension 0, which the result lacks: must be 0 or 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @gather_batch(%a: tensor<4x8xf32>, %i: tensor<3x2x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op batches dimension 0 of the operand of size 4 with dimension 0 of the indices of size 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<3x2x1xi32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @scatter_updates(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>, %u: tensor<4x6xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op has updates of size 4 in dimension 0, but indices of size 5}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<5x1xi32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @scatter_window(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x7xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op has updates of size 7 in dimension 1, but the input has size 6 in dimension 1}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @scatter_body(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op the update computation has 1 arguments, but folding 1 values takes 2}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @gather_field(%a: tensor<8x6xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{no field 'offset' here; expected one of 'offset_dims', 'collapsed_slice_dims', 'operand_batching_dims', 'start_indices_batching_dims', 'start_index_map', 'index_vector_dim'}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset = [1]>, slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}
