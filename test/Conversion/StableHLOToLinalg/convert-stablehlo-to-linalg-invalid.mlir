// RUN: partita-opt --split-input-file --convert-stablehlo-to-linalg %s --verify-diagnostics

// An op without lowering is refused by name.
func.func @einsum(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+2 {{'stablehlo.einsum' op has no lowering}}
  // expected-note @+1 {{fix: run the program with --engine=eval}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A foreign routine, too.
func.func @call(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{'stablehlo.custom_call' op @my_kernel is no routine that the runtime has}}
  // expected-note @+1 {{fix: express it by StableHLO ops}}
  %0 = stablehlo.custom_call @my_kernel(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
