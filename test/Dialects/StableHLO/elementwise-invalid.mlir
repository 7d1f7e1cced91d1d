// RUN: partita-opt %s --split-input-file --verify-diagnostics

// Sizes differ: the dimension and both sizes are named.
func.func @add_shape(%a: tensor<4x8xf32>, %b: tensor<4x6xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'stablehlo.add' op needs operand 1 and result 0 of one shape, but dimension 1 has size 6 in operand 1 and 8 in result 0}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Ranks differ.
func.func @tanh_rank(%a: tensor<4xf32>) -> tensor<4x1xf32> {
  // expected-error@+1 {{'stablehlo.tanh' op needs operand 0 and result 0 of one rank, but they have ranks 1 and 2}}
  %0 = "stablehlo.tanh"(%a) : (tensor<4xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// Element types differ.
func.func @multiply_element(%a: tensor<4xf32>, %b: tensor<4xf64>) -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.multiply' op has operand 1 of element type 'f64', but a result of element type 'f32'}}
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// No such function of integers.
func.func @cosine_int(%a: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.cosine' op operand #0 must be ranked tensor of float, complex or quantized elements, but got 'tensor<4xi32>'}}
  %0 = stablehlo.cosine %a : tensor<4xi32>
  return
}

// -----

// The magnitude of a complex number is real.
func.func @abs_complex(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.abs' op has result 0 of element type 'complex<f32>', but its operands make 'f32'}}
  %0 = stablehlo.abs %a : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @is_finite_result(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.is_finite' op needs operand 0 and result 0 of one shape, but dimension 0 has size 4 in operand 0 and 5 in result 0}}
  %0 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

func.func @complex_parts(%a: tensor<4xbf16>) {
  // expected-error@+1 {{'stablehlo.complex' op needs parts of element type f32 or f64, not 'bf16'}}
  %0 = stablehlo.complex %a, %a : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// The order must be one of the element type.
func.func @compare_order(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op cannot compare elements of type 'f32' as SIGNED}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// Complex numbers have no order.
func.func @compare_complex(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.compare' op can compare complex elements by EQ and NE only, not LT}}
  %0 = stablehlo.compare LT, %a, %a : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

// A predicate is a scalar or has the shape of the branches.
func.func @select_pred(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.select' op needs operand 0 and result 0 of one shape, but dimension 0 has size 3 in operand 0 and 4 in result 0}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @clamp_bound(%l: tensor<2xf32>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op needs operand 0 and result 0 of one shape, but dimension 0 has size 2 in operand 0 and 4 in result 0}}
  %0 = stablehlo.clamp %l, %a, %a : (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_precision(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a float format such as e5m10, not f5m10}}
  %0 = stablehlo.reduce_precision %a, format = f5m10 : tensor<4xf32>
  return
}

// -----

func.func @accuracy(%a: tensor<4xf32>) {
  // expected-error@+1 {{accuracy mode HIGHEST takes no atol, rtol or ulps}}
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}
