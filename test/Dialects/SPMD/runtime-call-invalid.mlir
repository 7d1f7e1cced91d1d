// RUN: partita-opt %s --split-input-file --verify-diagnostics

// A tensor output without its result.
func.func @count(%a: tensor<8xf32>) {
  // expected-error @+1 {{has 0 results, but 1 of its outputs are tensors}}
  spmd.runtime_call "partita_sort" ins() outs(%a : tensor<8xf32>) descriptor = [1]
  return
}

// -----

// A result of another type than its output.
func.func @type(%a: tensor<8xf32>) {
  // expected-error @+1 {{result #0 is 'tensor<4xf32>', its output is 'tensor<8xf32>'}}
  %0 = spmd.runtime_call "partita_sort" ins() outs(%a : tensor<8xf32>) descriptor = [1] -> tensor<4xf32>
  return
}
