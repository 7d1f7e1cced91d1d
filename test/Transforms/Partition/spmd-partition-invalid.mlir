// RUN: partita-opt %s --spmd-partition --split-input-file --verify-diagnostics

// A module that is not placed is refused, not guessed at.
spmd.mesh @mesh = <["x"=2]>
func.func @unplaced(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{'stablehlo.negate' op result #0 has no sharding}}
  // expected-note @+1 {{fix: run spmd-place-reshards on a module at phase propagated}}
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An op that no model covers.
spmd.mesh @mesh = <["x"=2]>
func.func @no_model(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error @+2 {{'stablehlo.einsum' op is left after import: its operands do not fit the notation, or their sizes are unknown}}
  // expected-note @+1 {{fix: name each dimension of an operand once, and give all types fixed shapes}}
  %0 = "stablehlo.einsum"(%a, %a) <{einsum_config = "ij,jk->ik"}> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Two meshes with axes have no reshard between them.
spmd.mesh @a = <["x"=2]>
spmd.mesh @b = <["y"=2]>
// expected-note @+1 {{the value comes from here}}
func.func @meshes(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@a, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@b, [{"y"}]>}) {
  // expected-error @+2 {{no reshard from #spmd.sharding<@a, [{"x"}]> to #spmd.sharding<@b, [{"y"}]>}}
  // expected-note @+1 {{fix: use one mesh; the shardings are on @a and @b}}
  %0 = spmd.reshard %a <@b, [{"y"}]> {spmd.shardings = [#spmd.sharding<@b, [{"y"}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A body to partition must be there.
spmd.mesh @mesh = <["x"=2]>
// expected-error @+2 {{is a declaration: its body can't be partitioned}}
// expected-note @+1 {{fix: give the function a body}}
func.func private @declaration(tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>})
