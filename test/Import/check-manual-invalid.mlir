// RUN: partita-opt %s --spmd-check-manual --split-input-file --verify-diagnostics

// What the body returns differs along the axis and nothing sums it.
spmd.mesh @m = <["rows"=8]>
func.func @main(%arg0: tensor<16xf32>) -> tensor<f32> {
  // expected-error @+2 {{result 0: its out spec <@m, []> does not mention manual axis "rows", so it is declared equal on all devices along "rows", but it differs between them}}
  // expected-note @+1 {{fix: make it equal with lax.psum or lax.all_gather over "rows", or mention "rows" in the out spec}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"rows"}]>] out_shardings=[<@m, []>] manual_axes={"rows"}
      // expected-note @+1 {{operand 0 (argument 0 of @main) enters as <@m, [{"rows"}]>, so each device along "rows" has a different part}}
      (%a: tensor<2xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    spmd.return %1 : tensor<f32>
  } : (tensor<16xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Through a call and a loop; a sum over one axis leaves the other.
spmd.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<2x4xf32> {
  // expected-error @+2 {{does not mention manual axis "y"}}
  // expected-note @+1 {{fix}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"x", "y"}
      // expected-note @+1 {{enters as}}
      (%a: tensor<2x4xf32>) {
    %1 = func.call @f(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    spmd.return %1 : tensor<2x4xf32>
  } : (tensor<8x8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func private @f(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<2x4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %x : tensor<i32>, tensor<2x4xf32>
  }
  %0 = spmd.all_reduce add %r#1 {"x"} on @m : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// The number of iterations depends on the device.
spmd.mesh @m = <["x"=4]>
func.func @main() -> tensor<i32> {
  // expected-error @+2 {{does not mention manual axis "x"}}
  // expected-note @+1 {{fix}}
  %0 = spmd.manual () in_shardings=[] out_shardings=[<@m, []>] manual_axes={"x"} () {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = spmd.axis_index {"x"} on @m : tensor<i32>
    // expected-note @+1 {{it varies along "x" from here on}}
    %r = stablehlo.while(%i = %c) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    spmd.return %r : tensor<i32>
  } : () -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Communication over the axis reached the value: it may be equal.
spmd.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<2xf32> {
  // expected-warning @+2 {{does not mention manual axis "x", so it is declared equal on all devices along "x", but that cannot be proved}}
  // expected-note @+1 {{fix}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"}
      // expected-note @+1 {{enters as}}
      (%a: tensor<2xf32>) {
    %1 = spmd.permute %a {"x"} shift = [1] wrap on @m : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %a, %1 : tensor<2xf32>
    spmd.return %2 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The other two refusals come from the verifiers of the region ops, since such a
// region cannot be typed: an operand that does not divide ...
sdy.mesh @m = <["x"=8]>
func.func @main(%arg0: tensor<10xf32>) {
  // expected-error @+2 {{operand 0: dimension 0 of size 10 does not divide by its manual axes, of size 8: {"x"} in its spec #sdy.sharding<@m, [{"x"}]>}}
  // expected-note @+1 {{fix: pad the dimension to 16 before the region, or leave the axis out of the spec}}
  sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2xf32>) {
    sdy.return
  } : (tensor<10xf32>) -> ()
  return
}

// -----

// ... and a spec longer than the rank.
sdy.mesh @m = <["x"=8]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<f32> {
  // expected-error @+2 {{result 0: the sharding has 1 dimensions, but the type 'tensor<f32>' has 0: #sdy.sharding<@m, [{"x"}]>}}
  // expected-note @+1 {{fix: write one {...} per dimension of the type}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<1xf32>) {
    %1 = stablehlo.reshape %a : (tensor<1xf32>) -> tensor<f32>
    sdy.return %1 : tensor<f32>
  } : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
