// RUN: partita-opt %s --spmd-verify-placed --split-input-file --verify-diagnostics

// The partial sums of a sharded contraction are claimed to be whole.
spmd.mesh @mesh = <["x"=2, "y"=4]>
func.func @dot(%a: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<6x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error @+2 {{result #0 is laid out as #spmd.sharding<@mesh, [{"x"}, {}]> but the op's rule ([i, k],[k, j])->([i, j]) {i=8, j=4, k=6 add} asks for #spmd.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}}
  // expected-note @+1 {{fix: run spmd-place-reshards on a module at phase propagated}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Two operands of one factor are split by different axes.
spmd.mesh @mesh = <["x"=2, "y"=4]>
func.func @add(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{operand #1 is laid out as #spmd.sharding<@mesh, [{"y"}]> but the op's rule}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = stablehlo.add %a, %b {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A value without a sharding.
spmd.mesh @mesh = <["x"=2]>
func.func @missing(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{'stablehlo.negate' op result #0 has no sharding}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A signature without shardings.
// expected-error @+2 {{argument #0 has no sharding}}
// expected-note @+1 {{fix: run spmd-place-reshards}}
func.func @signature(%a: tensor<8xf32>) {
  return
}

// -----

// expected-error @+2 {{result #0 has no sharding}}
// expected-note @+1 {{fix: run spmd-place-reshards}}
func.func @result(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// What a function returns is not laid out as its signature says.
spmd.mesh @mesh = <["x"=2]>
func.func @returned(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  // expected-error @+2 {{operand #0 is laid out as #spmd.sharding<@mesh, [{"x"}]> but arrives where #spmd.sharding<@mesh, [{}]> is expected}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  return %a : tensor<8xf32>
}

// -----

// An argument of a call in another layout than the callee's, and a result.
spmd.mesh @mesh = <["x"=2]>
func.func @argument(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  // expected-error @+2 {{operand #0 is laid out as #spmd.sharding<@mesh, [{"x"}]> but arrives where #spmd.sharding<@mesh, [{}]> is expected}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = call @callee(%a) {spmd.shardings = [#spmd.sharding<@mesh, [{}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  return %a : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2]>
func.func @call_result(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{result #0 is laid out as #spmd.sharding<@mesh, [{"x"}]> but @callee returns #spmd.sharding<@mesh, [{}]>}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = call @callee(%a) {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  return %a : tensor<8xf32>
}

// -----

// A loop's body returns its carry in another layout.
spmd.mesh @mesh = <["x"=2]>
func.func @loop(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<i1> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.while(%v = %a) : tensor<8x8xf32> attributes {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.transpose %v, dims = [1, 0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"x"}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @+2 {{operand #0 is laid out as #spmd.sharding<@mesh, [{}, {"x"}]> but arrives where #spmd.sharding<@mesh, [{"x"}, {}]> is expected}}
    // expected-note @+1 {{fix: run spmd-place-reshards}}
    stablehlo.return %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// A manual region's operand is not as the region's list says.
spmd.mesh @mesh = <["x"=2]>
func.func @manual(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{operand #0 is laid out as #spmd.sharding<@mesh, [{}]> but arrives where #spmd.sharding<@mesh, [{"x"}]> is expected}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = spmd.manual (%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    spmd.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Constraints, groups and barriers are placement's to carry out.
spmd.mesh @mesh = <["x"=2]>
func.func @constraint(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{'spmd.constraint' op is left after placement}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0 = spmd.constraint %a <@mesh, [{"x"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What passes a barrier comes out as it goes in.
spmd.mesh @mesh = <["x"=2]>
func.func @forwarded(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}, %b: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{operand #0 is laid out as #spmd.sharding<@mesh, [{}]> but arrives where #spmd.sharding<@mesh, [{"x"}]> is expected}}
  // expected-note @+1 {{fix: run spmd-place-reshards}}
  %0:2 = stablehlo.optimization_barrier {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>, #spmd.sharding<@mesh, [{"x"}]>]} %a, %b : tensor<8xf32>, tensor<8xf32>
  return %0#1 : tensor<8xf32>
}
