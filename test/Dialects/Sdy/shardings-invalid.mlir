// Shardings that do not fit their mesh or their value.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: unknown axis "d"}}
// expected-note @+1 {{fix: name one of the mesh's axes: "a", "b", "c"}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: sub-axis "a":(4)4 does not divide axis "a" of size 8}}
// expected-note @+1 {{fix: pre-size times size must divide the size of the axis}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(4)4}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: sub-axis "a":(4611686018427387904)4611686018427387904 does not divide axis "a" of size 8}}
// expected-note @+1 {{fix: pre-size times size must divide the size of the axis}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(4611686018427387904)4611686018427387904}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: sub-axis "a":(1)8 is the whole axis}}
// expected-note @+1 {{fix: write "a"}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(1)8}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: axis "a" is used twice}}
// expected-note @+1 {{fix: use each axis for one dimension, or as replicated or unreduced, once}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}], replicated={"a"}>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: axes "a":(1)4 and "a":(2)4 overlap}}
// expected-note @+1 {{fix: use sub-axes that share no part}}
func.func private @f(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(1)4}, {"a":(2)4}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: axes "a" and "a":(1)2 overlap}}
// expected-note @+1 {{fix: use sub-axes that share no part}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a", "a":(1)2}>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: sub-axes "a":(1)2 and "a":(2)2 are one}}
// expected-note @+1 {{fix: write them as a single axis}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(1)2, "a":(2)2}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: replicated axis "b" comes after "c", against the order of the mesh}}
// expected-note @+1 {{fix: list replicated and unreduced axes in the mesh's order}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"c", "b"}>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: unreduced axis "a":(1)2 comes after "a":(4)2, against the order of the mesh}}
// expected-note @+1 {{fix: list replicated and unreduced axes in the mesh's order}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a":(4)2, "a":(1)2}>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op result 1: dimension 1 is closed and without axes but has priority p3}}
// expected-note @+1 {{fix: drop the priority, or open the dimension with ?}}
func.func private @f(tensor<8xf32>) -> (tensor<8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}p3]>})

// -----

// expected-error @+2 {{'func.func' op argument 0: unknown mesh @missing}}
// expected-note @+1 {{fix: define it with sdy.mesh in the module}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@missing, [{"a"}]>})

// -----

sdy.mesh @one = <[], device_ids=[5]>
// expected-error @+2 {{'func.func' op argument 0: a sharding on the single device 5 has dimensions or axes}}
// expected-note @+1 {{fix: write the sharding as <mesh, []>}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: a value without a shape has a sharding with dimensions or axes; its type is 'index'}}
// expected-note @+1 {{fix: write the sharding as <mesh, []>}}
func.func private @f(index {sdy.sharding = #sdy.sharding<@m, [{"a"}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: an unranked value has a sharding; its type is 'tensor<*xf32>'}}
// expected-note @+1 {{fix: give the value a rank}}
func.func private @f(tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: the sharding has 2 dimensions, but the type 'tensor<8xf32>' has 1}}
// expected-note @+1 {{fix: write one {...} per dimension of the type}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op argument 0: 'sdy.sharding' must be #sdy.sharding, got #sdy.sharding_per_value<[<@m, [{"a"}]>]>}}
// expected-note @+1 {{fix: write #sdy.sharding<@mesh, [...]>}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>})

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
// expected-error @+2 {{'func.func' op result 0: 'sdy.sharding' must be #sdy.sharding, got "a"}}
// expected-note @+1 {{fix: write #sdy.sharding<@mesh, [...]>}}
func.func @f() -> (tensor<8xf32> {sdy.sharding = "a"}) {
  %0 = sdy.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
func.func @f() {
  // expected-error @+2 {{'sdy.constant' op 'sdy.sharding' must be #sdy.sharding_per_value, got #sdy.sharding<@m, [{"a"}]>}}
  // expected-note @+1 {{fix: write #sdy.sharding_per_value<[<@mesh, ...>]> with one sharding per result}}
  %0 = sdy.constant {sdy.sharding = #sdy.sharding<@m, [{"a"}]>} dense<0.0> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
func.func @f() {
  // expected-error @+2 {{'sdy.constant' op has 0 shardings for 1 results}}
  // expected-note @+1 {{fix: write one sharding per result}}
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[]>} dense<0.0> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
func.func private @g()
func.func @f() {
  // expected-error @+2 {{'func.call' op result 0: a value without a shape has a sharding with dimensions or axes}}
  // expected-note @+1 {{fix: write the sharding as <mesh, []>}}
  call @g() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : () -> ()
  return
}

// -----

sdy.mesh @m = <["a"=8, "b"=2, "c"=4]>
func.func @f(%arg0: tensor<16xf32>) {
  // expected-note @+1 {{made manual here}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<2xf32>) {
    // expected-error @+2 {{'sdy.sharding_constraint' op axis "a" is already manual in an enclosing sdy.manual_computation}}
    // expected-note @+1 {{fix: use only free axes inside the region}}
    %1 = sdy.sharding_constraint %arg1 <@m, [{"b", "a"}]> : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}
