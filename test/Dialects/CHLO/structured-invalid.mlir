// What ragged_dot and scan refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op lhs has 2 ragged dimensions; it must have one}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1, 0], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op lhs_ragged_dimensions holds dimension 3, which is out of range for rank 3}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [3], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op lhs batching and contracting dimensions holds dimension 0 twice}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op rhs batching, contracting and group dimensions holds dimension 1 twice}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op lhs has 1 contracting dimensions, rhs has 2}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2, 3], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x6x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op contracting dimension 2 of lhs has size 5, but dimension 2 of rhs has size 6}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x6x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<i64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op group_sizes is a scalar; its last dimension must be the groups}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<i64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3x3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op group_sizes has sizes 3 before the groups; they must be 2}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3x3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<4x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op group dimension of rhs has size 4, but group_sizes has 3 groups}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<4x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op rhs has 0 group dimensions; with this ragged dimension it must have 1}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op precision_config has 1 entries, but there are 2 operands}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>]} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'chlo.ragged_dot' op result has shape 2x11x8; it must be 2x11x7}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x8xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'lhs_rag' is unknown or repeated; expected one of: lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions, lhs_ragged_dimensions, rhs_group_dimensions}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_rag = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error @+1 {{'lhs_ragged_dimensions' is unknown or repeated; expected one of: lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions, lhs_ragged_dimensions, rhs_group_dimensions}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0], lhs_ragged_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op input 0 has rank 2 and so no dimension 2 to scan}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=2 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op output 0 has size 4 along the scanned dimension 1; the others have 3}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x4xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op input 0 has size 3 along the scanned dimension 1; the others have 4}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=-1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op body has 1 arguments; it must have 2}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>):
    stablehlo.return %in, %in : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op argument 0 of the body has type 'tensor<3xi32>'; it must be 'tensor<2xi32>'}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<3xi32>, %carry: tensor<2xi32>):
    stablehlo.return %carry, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op body has 1 results; it must have 2}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in : tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{custom op 'chlo.scan' has 2 operands, but the type has 1}}
  %0:2 = chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{custom op 'chlo.scan' has 1 inits, but only 0 results to carry them}}
  chlo.scan(%arg0) inits(%arg1) dimension=1 {
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in, %carry : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> ()
  return
}

// -----

func.func @f(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op has neither inputs nor outputs}}
  %0 = chlo.scan() inits(%arg0) dimension=0 {
  ^bb0(%carry: tensor<2xi32>):
    stablehlo.return %carry : tensor<2xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.scan' op has 1 inits, but 0 carries as results}}
  %0 = "chlo.scan"(%arg0, %arg1) ({
  ^bb0(%in: tensor<2xi32>, %carry: tensor<2xi32>):
    stablehlo.return %in : tensor<2xi32>
  }) {dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%arg0: tensor<2x3xi32>) {
  // expected-error @+1 {{empty block: expect at least a terminator}}
  %0 = chlo.scan(%arg0) inits() dimension=1 {
  ^bb0(%in: tensor<2xi32>):
  } : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}
