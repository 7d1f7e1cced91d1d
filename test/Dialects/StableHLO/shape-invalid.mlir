// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error@+1 {{'stablehlo.constant' op has a literal of type 'tensor<2xi32>', but a result of type 'tensor<3xi32>'}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @iota() {
  // expected-error@+1 {{'stablehlo.iota' op iota_dimension 2 is out of range for rank 2}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

// Both element counts are named.
func.func @reshape(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op cannot reshape 2x3 with 6 elements to 7 with 7}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @reshape_unknown(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op has a result of shape ?x3, of which at most one size may be unknown, and bounded}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @broadcast_in_dim(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op cannot broadcast operand dimension 1 of size 3 to result dimension 2 of size 4}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x4xf32>
  return
}

// -----

func.func @broadcast_in_dim_twice(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op broadcast_dimensions holds dimension 1 twice}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op has result 0 of size 5 in dimension 0, but its operands make size 4}}
  %0 = stablehlo.broadcast %a, sizes = [4] : (tensor<2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @transpose(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op permutation has 3 entries, but there are 2 operand dimensions}}
  %0 = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @transpose_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op has result 0 of size 2 in dimension 0, but its operands make size 3}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reverse(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op dimensions holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op concatenates along dimension 0, but dimension 1 has size 3 in operand 0 and 4 in operand 1}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad(%a: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op padding of -2 and -1 makes dimension 0 of size 2 negative: -1}}
  %0 = stablehlo.pad %a, %s, low = [-2], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @pad_interior(%a: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op has negative interior padding -1 in dimension 0}}
  %0 = stablehlo.pad %a, %s, low = [0], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @bitcast(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op converts 32-bit to 8-bit elements, so that the result's last dimension has size 4, but it has 2}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x2xi8>
  return
}

// -----

// expected-error@+1 {{bounds list 1 dimensions, the tensor has 2}}
func.func @bounds(%a: tensor<?x2xf32, #stablehlo.bounds<4>>) {
  return
}

// -----

func.func @dynamic_reshape(%a: tensor<2x3xf32>) {
  %shape = stablehlo.constant dense<[3, 3]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op cannot reshape 2x3 with 6 elements to 3x3 with 9}}
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}
