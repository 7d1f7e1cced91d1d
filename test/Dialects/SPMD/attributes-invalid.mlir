// RUN: partita-opt %s --split-input-file --verify-diagnostics

// What is wrong whatever the mesh: found when the attribute is read.

// expected-error @+2 {{sub-axis "x":(0)2 is no part of an axis}}
// expected-note @+1 {{fix: in "x":(pre)size pre is at least 1 and size at least 2}}
func.func private @f() attributes {a = #spmd.axis_ref<"x":(0)2>}

// -----

// expected-error @+2 {{sub-axis "x":(1)1 is no part of an axis}}
// expected-note @+1 {{fix: in "x":(pre)size}}
func.func private @f() attributes {a = #spmd.axis_ref<"x":(1)1>}

// -----

// expected-error @+2 {{sub-axis "x":(0)-1 is no part of an axis}}
// expected-note @+1 {{fix: in "x":(pre)size}}
func.func private @f() attributes {a = #spmd.axis_ref<"x":(0)0>}

// -----

// expected-error @+2 {{axis "x" is used twice}}
// expected-note @+1 {{fix: use each axis once}}
func.func private @f() attributes {a = #spmd.axes<{"x", "y", "x"}>}

// -----

// expected-error @+2 {{axes "x" and "x":(1)2 share part of one axis}}
// expected-note @+1 {{fix: use sub-axes that follow one another}}
func.func private @f() attributes {a = #spmd.axes<{"x", "x":(1)2}>}

// -----

// Two, then three of six, against three, then two: they interleave.
// expected-error @+2 {{axes "x":(1)2 and "x":(3)2 share part of one axis}}
// expected-note @+1 {{fix: use sub-axes that follow one another}}
func.func private @f() attributes {a = #spmd.axes<{"x":(1)2, "x":(3)2}>}

// -----

// expected-error @+2 {{axes "x":(4611686018427387904)4 and "x":(4611686018427387904)2 share part}}
// expected-note @+1 {{fix: use sub-axes that follow one another}}
func.func private @f() attributes {a = #spmd.axes<{"x":(4611686018427387904)4, "x":(4611686018427387904)2}>}

// -----

// In two dimensions, in replicated, in unreduced.
// expected-error @+2 {{axis "x" is used twice}}
// expected-note @+1 {{fix: use each axis once}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}, {"y", "x"}]>}

// -----

// expected-error @+2 {{axis "x" is used twice}}
// expected-note @+1 {{fix: use each axis once}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}], replicated={"x"}>}

// -----

// expected-error @+2 {{axes "x" and "x":(2)2 share part of one axis}}
// expected-note @+1 {{fix: use sub-axes}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}], unreduced={"x":(2)2}>}

// -----

// expected-error @+2 {{a reduction kind without unreduced axes}}
// expected-note @+1 {{fix: name the axes: unreduced=[max]{"x"}}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}], unreduced=[max]{}>}

// -----

// expected-error @+1 {{expected a priority such as p1}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}q1]>}

// -----

// expected-error @+1 {{expected a priority such as p1}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}p99999999999999999999]>}

// -----

// expected-error @+1 {{expected 'replicated=' or 'unreduced=', each once and in this order}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}], unreduced={"y"}, replicated={"z"}>}

// -----

// expected-error @+1 {{expected one of [add, mul, max, min, and, or, xor] for how partial values are combined, got: avg}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{"x"}], unreduced=[avg]{"y"}>}

// -----

// `?` comes last.
// expected-error @+1 {{expected '}'}}
func.func private @f() attributes {a = #spmd.sharding<@m, [{?, "x"}]>}

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
func.func private @f() attributes {a = #spmd.sharding<@m::@n, [{"x"}]>}

// -----

// expected-error @+1 {{expected '+'}}
func.func private @f() attributes {a = #spmd.interval<0 - i*2 : 3>}

// -----

// expected-error @+1 {{expected '->'}}
func.func private @f() attributes {a = #spmd.move<{"x"}: 0 to 1>}

// -----

// expected-error @+2 {{axis "x" is used twice}}
// expected-note @+1 {{fix: use each axis once}}
func.func private @f() attributes {a = #spmd.move<{"x", "x"}: 0 -> 1>}

// -----

// What depends on the mesh and on the type of the value.

// expected-error @+2 {{sharding of argument 0: mesh @m is not defined}}
// expected-note @+1 {{fix: add 'spmd.mesh @m = <[...]>' to the module}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>})

// -----

// Other symbols are no meshes.
// expected-error @+2 {{sharding of argument 0: mesh @f is not defined}}
// expected-note @+1 {{fix: add 'spmd.mesh @f}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@f, [{"x"}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sharding of argument 1: axis "z" is not in the mesh #spmd.mesh<["x"=4, "y"=6]>}}
// expected-note @+1 {{fix: use an axis of the mesh}}
func.func private @f(tensor<8xf32>, tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"z"}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sharding of result 0: sub-axis "y":(2)2 does not divide axis "y" of size 6}}
// expected-note @+1 {{fix: pre times size must divide the axis}}
func.func private @f() -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"y":(2)2}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sub-axis "y":(1)4611686018427387904 does not divide axis "y" of size 6}}
// expected-note @+1 {{fix: pre times size}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [], replicated={"y":(1)4611686018427387904}>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sub-axis "y":(1)6 is the whole axis}}
// expected-note @+1 {{fix: write "y"}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"y":(1)6}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sharding has 1 dimensions, but 'tensor<8x6xf32>' has 2}}
// expected-note @+1 {{fix: write one {...} per dimension}}
func.func private @f(tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sharding has 2 dimensions, but 'tensor<8xf32>' has 1}}
// expected-note @+1 {{fix: write one {...} per dimension}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{sharding has 1 dimensions, but 'i32' has none}}
// expected-note @+1 {{fix: write []}}
func.func private @f(i32 {spmd.sharding = #spmd.sharding<@m, [{}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{a value of type 'tensor<*xf32>' cannot be sharded}}
// expected-note @+1 {{fix: only ranked tensors have shardings}}
func.func private @f(tensor<*xf32> {spmd.sharding = #spmd.sharding<@m, []>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{dimension 1 of 'tensor<8x?xf32>' is sharded along {"x", "y"}, but its size is unknown}}
// expected-note @+1 {{fix: give the dimension a static size}}
func.func private @f(tensor<8x?xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {"x", "y"}]>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{reduction 'xor' is not defined on 'f32'}}
// expected-note @+1 {{fix: max and min need integers or floats, and, or, xor need integers}}
func.func private @f(tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{}], unreduced=[xor]{"x"}>})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{reduction 'max' is not defined on 'complex<f32>'}}
// expected-note @+1 {{fix: max and min need integers or floats}}
func.func private @f(tensor<8xcomplex<f32>> {spmd.sharding = #spmd.sharding<@m, [{}], unreduced=[max]{"x"}>})

// -----

// Where the discardable attributes may stand.

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{argument 0 has 'spmd.shardings'}}
// expected-note @+1 {{fix: arguments and results carry 'spmd.sharding'}}
func.func private @f(tensor<8xf32> {spmd.shardings = [#spmd.sharding<@m, [{"x"}]>]})

// -----

// expected-error @+2 {{'spmd.sharding' of result 0 must be a #spmd.sharding}}
// expected-note @+1 {{fix: write #spmd.sharding<@mesh, [...]>}}
func.func private @f() -> (tensor<8xf32> {spmd.sharding = "x"})

// -----

// expected-error @+2 {{'spmd.global_type' of argument 0 is no type}}
// expected-note @+1 {{fix: write the whole type, as tensor<8xf32>}}
func.func private @f(tensor<8xf32> {spmd.global_type = 8})

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
// expected-error @+2 {{'func.func' op has 'spmd.sharding'}}
// expected-note @+1 {{fix: ops carry 'spmd.shardings', one per result}}
func.func private @f() attributes {spmd.sharding = #spmd.sharding<@m, []>}

// -----

func.func private @g() -> tensor<8xf32>
func.func @f() {
  // expected-error @+2 {{'spmd.sharding_rule' must be a dictionary}}
  // expected-note @+1 {{fix: write {factor_sizes = ..., ...}}}
  %0 = call @g() {spmd.sharding_rule = 1} : () -> tensor<8xf32>
  return
}

// -----

func.func private @g() -> tensor<8xf32>
func.func @f() {
  // expected-error @+2 {{'spmd.shardings' must be an array of #spmd.sharding}}
  // expected-note @+1 {{fix: write [#spmd.sharding<@mesh, [...]>, ...]}}
  %0 = call @g() {spmd.shardings = [1]} : () -> tensor<8xf32>
  return
}

// -----

func.func private @g() -> tensor<8xf32>
func.func @f() {
  // expected-error @+2 {{'spmd.shardings' must be an array of #spmd.sharding}}
  // expected-note @+1 {{fix: write}}
  %0 = call @g() {spmd.shardings} : () -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func private @g() -> (tensor<8xf32>, tensor<6xf32>)
func.func @f() {
  // expected-error @+2 {{'spmd.shardings' has 1 entries, but the op has 2 results}}
  // expected-note @+1 {{fix: write one sharding per result}}
  %0:2 = call @g() {spmd.shardings = [#spmd.sharding<@m, [{"x"}]>]} : () -> (tensor<8xf32>, tensor<6xf32>)
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func private @g() -> (tensor<8xf32>, tensor<6xf32>)
func.func @f() {
  // expected-error @+2 {{sharding of result 1: axis "w" is not in the mesh}}
  // expected-note @+1 {{fix: use an axis of the mesh}}
  %0:2 = call @g() {spmd.shardings = [#spmd.sharding<@m, [{"x"}]>, #spmd.sharding<@m, [{"w"}]>]} : () -> (tensor<8xf32>, tensor<6xf32>)
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'spmd.constraint' op sharding has 2 dimensions}}
  // expected-note @+1 {{fix: write one {...} per dimension}}
  %0 = spmd.constraint %arg0 <@m, [{"x"}, {}]> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'spmd.reshard' op mesh @n is not defined}}
  // expected-note @+1 {{fix: add 'spmd.mesh @n = <[...]>' to the module}}
  %0 = spmd.reshard %arg0 <@n, [{"x"}]> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected one of [none, forward, backward, both] for direction in which shardings may pass, got: up}}
  %0 = spmd.propagation_barrier %arg0 allowed = up : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "spmd.constraint"(%arg0) <{sharding = #spmd.sharding<@m, [{"x"}]>}> : (tensor<8xf32>) -> tensor<4xf32>
  return
}
