// RUN: partita-opt %s --split-input-file --verify-diagnostics --spmd-verify-optimized

spmd.mesh @m = <["x"=2]>

// Nothing waits for it.
func.func @open(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{is not waited for exactly once in its block, so a device may leave it open}}
  // expected-note @+1 {{fix: put one spmd.done behind it}}
  %f = spmd.start (%a) (%b: tensor<4xf32>) {
    %s = spmd.all_reduce add %b {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return %s : tensor<4xf32>
  } : (tensor<4xf32>) -> !spmd.future<tensor<4xf32>>
  return %a : tensor<4xf32>
}

// -----

spmd.mesh @m = <["x"=2]>

// Only one of two ways waits for it.
func.func @branch(%a: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  // expected-error @+2 {{is not waited for exactly once in its block}}
  // expected-note @+1 {{fix: put one spmd.done behind it}}
  %f = spmd.start (%a) (%b: tensor<4xf32>) {
    %s = spmd.all_reduce add %b {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return %s : tensor<4xf32>
  } : (tensor<4xf32>) -> !spmd.future<tensor<4xf32>>
  %r = "stablehlo.if"(%p) ({
    // expected-note @+1 {{read here}}
    %d = spmd.done %f : <tensor<4xf32>> -> tensor<4xf32>
    stablehlo.return %d : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
