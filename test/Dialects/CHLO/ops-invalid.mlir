// What pointwise, broadcasting, constant and top_k ops refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @f(%arg0: tensor<8xi32>) {
  // expected-error @+1 {{'chlo.erf' op operand #0 must be ranked tensor of float elements, but got 'tensor<8xi32>'}}
  %0 = chlo.erf %arg0 : tensor<8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'chlo.erf' op needs operand 0 and result 0 of one shape, but dimension 0 has size 8 in operand 0 and 4 in result 0}}
  %0 = chlo.erf %arg0 : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'chlo.erf' op has operand 0 of element type 'f32', but a result of element type 'f64'}}
  %0 = chlo.erf %arg0 : tensor<8xf32> -> tensor<8xf64>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'chlo.is_inf' op needs operand 0 and result 0 of one shape, but dimension 0 has size 8 in operand 0 and 4 in result 0}}
  %0 = chlo.is_inf %arg0 : tensor<8xf32> -> tensor<4xi1>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+1 {{'chlo.zeta' op needs operand 1 and result 0 of one shape, but dimension 0 has size 4 in operand 1 and 8 in result 0}}
  %0 = chlo.zeta %arg0, %arg1 : tensor<8xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{'chlo.broadcast_add' op sizes 8 and 4 of dimension 0 cannot be broadcast to each other}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf64>) {
  // expected-error @+2 {{'chlo.broadcast_add' op operands have element types 'f32' and 'f64', which differ}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<8xf32>, tensor<8xf64>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{'chlo.broadcast_add' op inferred type(s) 'tensor<8x4xf32>' are incompatible with return type(s) of operation 'tensor<8x8xf32>'}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{'chlo.broadcast_add' op broadcast_dimensions has 2 entries, but there are 1 dimensions of the smaller operand}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0, 1>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{'chlo.broadcast_add' op broadcast_dimensions holds dimension 2, which is out of range for rank 2}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 2>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{'chlo.broadcast_add' op broadcast_dimensions holds dimension -1, which is out of range for rank 2}}
  // expected-error @+1 {{'chlo.broadcast_add' op failed to infer returned types}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: -1>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf64>, %arg2: tensor<8xi1>) {
  // expected-error @+2 {{'chlo.broadcast_select' op on_true and on_false have element types 'f32' and 'f64', which differ}}
  // expected-error @+1 {{'chlo.broadcast_select' op failed to infer returned types}}
  %0 = chlo.broadcast_select %arg2, %arg0, %arg1 : (tensor<8xi1>, tensor<8xf32>, tensor<8xf64>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'chlo.constant_like' op value of type 'i3' cannot be an element of a tensor}}
  // expected-error @+1 {{'chlo.constant_like' op failed to infer returned types}}
  %0 = "chlo.constant_like"(%arg0) {value = 1 : i3} : (tensor<8xf32>) -> tensor<8xi32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'chlo.constant_like' op inferred type(s) 'tensor<8xi64>' are incompatible with return type(s) of operation 'tensor<8xi32>'}}
  // expected-error @+1 {{'chlo.constant_like' op failed to infer returned types}}
  %0 = "chlo.constant_like"(%arg0) {value = 1 : i64} : (tensor<8xf32>) -> tensor<8xi32>
  return
}

// -----

func.func @f(%arg0: tensor<f32>) {
  // expected-error @+2 {{'chlo.top_k' op operand is a scalar; it must have at least one dimension}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'chlo.top_k' op k = 9 is not in [0, 8], the size of the last dimension}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 9) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'chlo.top_k' op k = -1 is not in [0, 8], the size of the last dimension}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = -1) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'chlo.top_k' op inferred type(s) 'tensor<2xf32>', 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xf32>', 'tensor<2xi64>'}}
  // expected-error @+1 {{'chlo.top_k' op failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi64>)
  return
}
