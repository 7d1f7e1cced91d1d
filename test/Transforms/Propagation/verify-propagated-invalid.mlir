// RUN: partita-opt --split-input-file --verify-diagnostics --spmd-verify-propagated %s

spmd.mesh @mesh = <["x"=2]>

// expected-error @below {{argument 0 has no sharding}}
// expected-note @below {{fix: run spmd-propagate-shardings}}
func.func @main(%a: tensor<8xf32>) {
  return
}

// -----

spmd.mesh @mesh = <["x"=2]>

// expected-error @below {{result 0 has the open sharding}}
// expected-note @below {{fix: run spmd-propagate-shardings}}
func.func @main(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x", ?}]>}) {
  return %a : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2]>

func.func @main(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @below {{result 0 has no sharding}}
  // expected-note @below {{fix: run spmd-propagate-shardings}}
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return
}
