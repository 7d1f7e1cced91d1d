// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @reduce_dims(%a: tensor<4x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op dimensions holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_result(%a: tensor<4x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op has result 0 of size 4 in dimension 0, but its operands make size 8}}
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_init(%a: tensor<4x8xf32>, %c: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.reduce' op has initial value 0 of rank 1, expected a scalar}}
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_short_form(%a: tensor<4x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'applies' takes a commutative stablehlo operation on two operands, not stablehlo.subtract}}
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.subtract across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_shapes(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op needs input 0 and input 1 of one shape, but dimension 0 has size 4 in input 0 and 5 in input 1}}
  %0:2 = stablehlo.reduce(%a init: %c), (%b init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%l: tensor<f32>, %r: tensor<f32>) (%m: tensor<f32>, %n: tensor<f32>) {
    stablehlo.return %l, %m : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @body_type(%a: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op the body has argument 0 of element type 'bf16', to which values of element type 'f32' cannot be promoted}}
  %0 = stablehlo.reduce(%a init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<bf16>
    reducer(%l: tensor<bf16>, %r: tensor<bf16>) {
    stablehlo.return %l : tensor<bf16>
  }
  return
}

// -----

func.func @body_return(%a: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op the body has 2 returned values, expected 1}}
  %0 = stablehlo.reduce(%a init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%l: tensor<f32>, %r: tensor<f32>) {
    stablehlo.return %l, %r : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @window_count(%a: tensor<8x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window_dimensions has 1 entries, but there are 2 input dimensions}}
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @window_padding(%a: tensor<8x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op padding has shape 1x2, but 2 window dimensions take shape 2x2}}
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3, 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @window_result(%a: tensor<8x8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op has result 0 of size 8 in dimension 0, but its operands make size 6}}
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @select_source(%a: tensor<8xf32>, %s: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op needs source and the windows of one shape, but dimension 0 has size 4 in source and 3 in the windows}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %c) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_dim(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op dimension 1 is out of range for rank 1}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_comparator(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op the comparator has returned value 0 of type 'tensor<f32>', expected 'tensor<i1>'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_dims(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'stablehlo.map' op dimensions must list all in order, but has 1 at position 0}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%l: tensor<f32>):
    stablehlo.return %l : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
