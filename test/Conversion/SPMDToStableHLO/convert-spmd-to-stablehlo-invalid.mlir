// RUN: partita-opt --convert-spmd-to-stablehlo --verify-diagnostics %s

spmd.mesh @m = <["x"=4]>
func.func @ragged(%arg0: tensor<8x6xf32>, %arg1: tensor<12x6xf32>, %arg2: tensor<4xi32>) -> tensor<12x6xf32> {
  // expected-error@+2 {{has no StableHLO form here}}
  // expected-note@+1 {{fix: run it with partita-run, which evaluates it}}
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<12x6xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}
