// RUN: partita-opt %s --split-input-file --verify-diagnostics

// expected-error @+2 {{a mesh axis has an empty name}}
// expected-note @+1 {{fix: give each axis a name}}
spmd.mesh @m = <[""=4]>

// -----

// expected-error @+2 {{mesh axis "x" occurs twice}}
// expected-note @+1 {{fix: give each axis a name of its own}}
spmd.mesh @m = <["x"=4, "y"=2, "x"=3]>

// -----

// expected-error @+2 {{mesh axis "y" has size 0}}
// expected-note @+1 {{fix: sizes are at least 1}}
spmd.mesh @m = <["x"=4, "y"=0]>

// -----

// expected-error @+2 {{mesh axis "y" has size -2}}
// expected-note @+1 {{fix: sizes are at least 1}}
spmd.mesh @m = <["x"=4, "y"=-2]>

// -----

// expected-error @+2 {{link of mesh axis "x" has a negative or infinite figure}}
// expected-note @+1 {{fix: give seconds and bytes per second, or zero}}
spmd.mesh @m = <["x"=4 link(-1.0, 2.0)]>

// -----

// expected-error @+2 {{link of mesh axis "x" has a negative or infinite figure}}
// expected-note @+1 {{fix: give seconds}}
spmd.mesh @m = <["x"=4 link(1.0, 1.0e+999)]>

// -----

// expected-error @+2 {{mesh has more than 2147483647 devices}}
// expected-note @+1 {{fix: device ids are 32 bits wide; use smaller axes}}
spmd.mesh @m = <["x"=4611686018427387904, "y"=3, "z"=8]>

// -----

// expected-error @+2 {{iota dimensions [2, 3] of device_ids do not multiply to the 8 devices of the mesh}}
// expected-note @+1 {{fix: their product is the number of devices}}
spmd.mesh @m = <["x"=4, "y"=2], device_ids=iota([2, 3]T(1, 0))>

// -----

// expected-error @+2 {{iota dimensions [4611686018427387904, 4] of device_ids do not multiply to the 8 devices}}
// expected-note @+1 {{fix: their product}}
spmd.mesh @m = <["x"=4, "y"=2], device_ids=iota([4611686018427387904, 4]T(1, 0))>

// -----

// expected-error @+2 {{iota transposition (1, 1) of device_ids is no permutation of 2 dimensions}}
// expected-note @+1 {{fix: name each dimension from 0 once}}
spmd.mesh @m = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 1))>

// -----

// expected-error @+2 {{iota transposition (1, 0, 2) of device_ids is no permutation of 2 dimensions}}
// expected-note @+1 {{fix: name each dimension from 0 once}}
spmd.mesh @m = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0, 2))>

// -----

// expected-error @+2 {{a mesh without axes names one device, but device_ids is [0, 1]}}
// expected-note @+1 {{fix: write one id that is not negative, or give axes}}
spmd.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error @+2 {{a mesh without axes names one device, but device_ids is [-3]}}
// expected-note @+1 {{fix: write one id}}
spmd.mesh @m = <[], device_ids=[-3]>

// -----

// expected-error @+2 {{device_ids lists 3 devices, but the axes have 8}}
// expected-note @+1 {{fix: list each device once}}
spmd.mesh @m = <["x"=4, "y"=2], device_ids=[0, 1, 2]>

// -----

// expected-error @+2 {{device_ids is no permutation of 0 to 2}}
// expected-note @+1 {{fix: list each device once}}
spmd.mesh @m = <["x"=3], device_ids=[0, 2, 2]>

// -----

// expected-error @+2 {{device_ids is no permutation of 0 to 2}}
// expected-note @+1 {{fix: list each device once}}
spmd.mesh @m = <["x"=3], device_ids=[0, 1, 3]>

// -----

// Text that is no mesh.
// expected-error @+1 {{expected 'device_ids'}}
spmd.mesh @m = <["x"=3], devices=[0, 1, 2]>

// -----

// expected-error @+1 {{expected '='}}
spmd.mesh @m = <["x"]>

// -----

// expected-error @+1 {{expected string}}
spmd.mesh @m = <[x=3]>

// -----

// expected-error @+1 {{integer value too large}}
spmd.mesh @m = <["x"=99999999999999999999]>

// -----

// expected-error @+1 {{requires attribute 'mesh'}}
"spmd.mesh"() <{sym_name = "m"}> : () -> ()
func.func @user(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = spmd.reshard %arg0 <@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-note @+1 {{see existing symbol definition here}}
spmd.mesh @m = <["x"=3]>
// expected-error @+1 {{redefinition of symbol named 'm'}}
spmd.mesh @m = <["x"=3]>
