// RUN: partita-opt %s --split-input-file --verify-diagnostics

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{has 2 in_shardings for 1 operands}}
  // expected-note @+1 {{fix: write one sharding per operand}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>, <@m, []>] out_shardings=[] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{has 0 out_shardings for 1 results}}
  // expected-note @+1 {{fix: write one sharding per result}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    spmd.return %a : tensor<2x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{body has 0 arguments for 1 operands}}
  // expected-note @+1 {{fix: give the body one argument per operand}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} () {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{mesh @m is not defined}}
  // expected-note @+1 {{fix: add 'spmd.mesh @m = <[...]>' to the module}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{manual_axes: axis "z" is not in the mesh}}
  // expected-note @+1 {{fix: use an axis of the mesh}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[] manual_axes={"x", "z"} (%a: tensor<2x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{manual_axes: sub-axis "x":(1)2 cannot be manual}}
  // expected-note @+1 {{fix: make the whole axis "x" manual}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x":(1)2}, {}]>] out_shardings=[] manual_axes={"x":(1)2} (%a: tensor<4x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
spmd.mesh @n = <["x"=4]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{in_shardings[1]: is on mesh @n, but others are on @m}}
  // expected-note @+1 {{fix: use one mesh in one spmd.manual}}
  spmd.manual (%arg0, %arg0) in_shardings=[<@m, [{"x"}, {}]>, <@n, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2x6xf32>, %b: tensor<2x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>, tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{in_shardings[0]: sharding has 1 dimensions, but 'tensor<8x6xf32>' has 2}}
  // expected-note @+1 {{fix: write one {...} per dimension}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{in_shardings[0]: manual axis "x" follows a free axis in dimension 1}}
  // expected-note @+1 {{fix: put the manual axes first in each dimension}}
  spmd.manual (%arg0) in_shardings=[<@m, [{}, {"y", "x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<8x2xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{in_shardings[0]: dimension 1 of size 6 does not divide into the 4 shards of its manual axes}}
  // expected-note @+1 {{fix: pad the dimension to a multiple of the shards}}
  spmd.manual (%arg0) in_shardings=[<@m, [{}, {"x"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<8x2xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{body argument 0 has type 'tensor<8x6xf32>', but 'tensor<8x6xf32>' as #spmd.sharding<@m, [{"x"}, {"y"}]> enters as 'tensor<2x6xf32>'}}
  // expected-note @+1 {{fix: use the type of the shard along the manual axes}}
  spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[] manual_axes={"x"} (%a: tensor<8x6xf32>) {
    spmd.return
  } : (tensor<8x6xf32>) -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{out_shardings[0]: dimension 0 of size 8 does not divide into the 3 shards}}
  // expected-note @+1 {{fix: pad the dimension}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{}, {"y"}]>] out_shardings=[<@m, [{"y"}, {}]>] manual_axes={"y"} (%a: tensor<8x2xf32>) {
    spmd.return %a : tensor<8x2xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{body returns 0 values for 1 results}}
  // expected-note @+1 {{fix: return one value per result}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<2x6xf32>) {
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{body returns 'tensor<2x8xf32>' as result 0, but 'tensor<8x8xf32>' as #spmd.sharding<@m, [{}, {"x"}]> leaves as 'tensor<8x2xf32>'}}
  // expected-note @+1 {{fix: use the type of the shard along the manual axes}}
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{}, {"x"}]>] manual_axes={"x"} (%a: tensor<2x8xf32>) {
    spmd.return %a : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+1 {{failed to satisfy constraint: one sharding per value}}
  "spmd.manual"(%arg0) <{in_shardings = [1], out_shardings = [], manual_axes = #spmd.axes<{}>}> ({
  ^bb0(%a: tensor<8x6xf32>):
    "spmd.return"() : () -> ()
  }) : (tensor<8x6xf32>) -> ()
  return
}

// -----

func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+1 {{region with 1 blocks}}
  "spmd.manual"(%arg0) <{in_shardings = [], out_shardings = [], manual_axes = #spmd.axes<{}>}> ({}) : (tensor<8x6xf32>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op to be one of 'spmd.manual, spmd.start'}}
  spmd.return
}

// -----

func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+1 {{expected 'manual_axes'}}
  spmd.manual (%arg0) in_shardings=[] out_shardings=[] () {} : (tensor<8x6xf32>) -> ()
  return
}
