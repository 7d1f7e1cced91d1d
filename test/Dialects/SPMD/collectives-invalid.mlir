// RUN: partita-opt %s --split-input-file --verify-diagnostics

// What all collectives share.

func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{'spmd.all_reduce' op mesh @m is not defined}}
  // expected-note @+1 {{fix: add 'spmd.mesh @m = <[...]>' to the module}}
  %0 = spmd.all_reduce add %arg0 {"x"} on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{axis "z" is not in the mesh #spmd.mesh<["x"=4, "y"=6]>}}
  // expected-note @+1 {{fix: use an axis of the mesh}}
  %0 = spmd.all_reduce add %arg0 {"x", "z"} on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{sub-axis "y":(2)2 does not divide axis "y" of size 6}}
  // expected-note @+1 {{fix: pre times size must divide the axis}}
  %0 = spmd.all_gather %arg0 [{"y":(2)2}, {}] on @m : (tensor<8x6xf32>) -> tensor<16x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{axis "x" is used twice}}
  // expected-note @+1 {{fix: use each axis once}}
  %0 = spmd.all_gather %arg0 [{"x"}, {"x"}] on @m : (tensor<8x6xf32>) -> tensor<32x24xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f() {
  // expected-error @+2 {{'spmd.all_gather' op has no operand}}
  // expected-note @+1 {{fix: give at least one value}}
  "spmd.all_gather"() <{gather_axes = [], mesh = @m}> : () -> ()
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{has 1 operands, but 2 results}}
  // expected-note @+1 {{fix: give one result per operand}}
  %0:2 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<8x6xf32>) -> (tensor<32x6xf32>, tensor<32x6xf32>)
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<?x6xf32>) {
  // expected-error @+2 {{has 'tensor<?x6xf32>' -> 'tensor<?x6xf32>', whose size is unknown}}
  // expected-note @+1 {{fix: collectives need static shapes}}
  %0 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<?x6xf32>) -> tensor<?x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{result 0 is 'tensor<32x6xf64>', but operand 0 is 'tensor<8x6xf32>'}}
  // expected-note @+1 {{fix: rank and element type stay the same}}
  %0 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf64>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{result 0 is 'tensor<192xf32>', but operand 0 is 'tensor<8x6xf32>'}}
  // expected-note @+1 {{fix: rank and element type stay the same}}
  %0 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<192xf32>
  return
}

// -----

// Shapes, dimension by dimension.

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{has axes for 1 dimensions, but operand 0 has rank 2}}
  // expected-note @+1 {{fix: write one {...} per dimension}}
  %0 = spmd.all_gather %arg0 [{"x"}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>, %arg1: tensor<5x5xf32>) {
  // expected-error @+2 {{dimension 1 of result 1 has size 10; operand size 5 along {"y":(3)2, "x"} of size 8 gives 40}}
  // expected-note @+1 {{fix: make the dimension 40}}
  %0:2 = spmd.all_gather %arg0, %arg1 [{}, {"y":(3)2, "x"}] on @m : (tensor<8x6xf32>, tensor<5x5xf32>) -> (tensor<8x48xf32>, tensor<5x10xf32>)
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<4611686018427387904xi1>) {
  // expected-error @+2 {{dimension 0 of result 0 has size 4; operand size 4611686018427387904 along {"x"} of size 4 gives}}
  // expected-note @+1 {{fix: make the dimension}}
  %0 = spmd.all_gather %arg0 [{"x"}] on @m : (tensor<4611686018427387904xi1>) -> tensor<4xi1>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<9x6xf32>) {
  // expected-error @+2 {{dimension 0 of result 0 has size 2; operand size 9 along {"x"} of size 4 gives 3}}
  // expected-note @+1 {{fix: make the dimension 3}}
  %0 = spmd.all_slice %arg0 [{"x"}, {}] on @m : (tensor<9x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<9x6xf32>) {
  // expected-error @+2 {{dimension 0 of operand 0 of size 9 does not divide along {"x"} of size 4}}
  // expected-note @+1 {{fix: pad the dimension to a multiple of the axes}}
  %0 = spmd.reduce_scatter add %arg0 [{"x"}, {"y"}] on @m : (tensor<9x6xf32>) -> tensor<3x1xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{dimension 1 of result 0 has size 6; operand size 6 along {"y"} of size 6 gives 1}}
  // expected-note @+1 {{fix: make the dimension 1}}
  %0 = spmd.reduce_scatter add %arg0 [{"x"}, {"y"}] on @m : (tensor<8x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{result 0 is 'tensor<2x6xf32>', but operand 0 is 'tensor<8x6xf32>'}}
  // expected-note @+1 {{fix: the shape stays the same}}
  %0 = spmd.all_reduce add %arg0 {"x"} on @m : (tensor<8x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// Kinds that the element type lacks.

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xi32>, %arg1: tensor<8xf32>) {
  // expected-error @+2 {{reduction 'or' is not defined on 'f32'}}
  // expected-note @+1 {{fix: max and min need integers or floats, and, or, xor need integers}}
  %0:2 = spmd.all_reduce or %arg0, %arg1 {"x"} on @m : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>)
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xcomplex<f64>>) {
  // expected-error @+2 {{reduction 'min' is not defined on 'complex<f64>'}}
  // expected-note @+1 {{fix: max and min need integers or floats}}
  %0 = spmd.reduce_scatter min %arg0 [{"x"}] on @m : (tensor<8xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xbf16>) {
  // expected-error @+2 {{reduction 'and' is not defined on 'bf16'}}
  // expected-note @+1 {{fix: max and min need integers or floats}}
  %0 = spmd.to_unreduced and %arg0 {"x"} on @m : tensor<8xbf16>
  return
}

// -----

func.func @f(%arg0: tensor<8xbf16>) {
  // expected-error @+1 {{expected one of [add, mul, max, min, and, or, xor] for how partial values are combined, got: sum}}
  %0 = spmd.to_unreduced sum %arg0 {"x"} on @m : tensor<8xbf16>
  return
}

// -----

// all_to_all.

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{move 0 -> 2 does not name two dimensions of operand 0 of rank 2}}
  // expected-note @+1 {{fix: name two different dimensions}}
  %0 = spmd.all_to_all %arg0 [{"x"}: 0 -> 2] on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{move -1 -> 1 does not name two dimensions}}
  // expected-note @+1 {{fix: name two different dimensions}}
  %0 = spmd.all_to_all %arg0 [{"x"}: -1 -> 1] on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{move 1 -> 1 does not name two dimensions}}
  // expected-note @+1 {{fix: name two different dimensions}}
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 1] on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{axis "x" is used twice}}
  // expected-note @+1 {{fix: use each axis once}}
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0, {"x"}: 0 -> 1] on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{dimension 0 of operand 0 of size 8 does not divide along {"y"} of size 6}}
  // expected-note @+1 {{fix: pad the dimension to a multiple of the axes}}
  %0 = spmd.all_to_all %arg0 [{"y"}: 1 -> 0] on @m : (tensor<8x6xf32>) -> tensor<2x36xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>) {
  // expected-error @+2 {{dimension 1 of result 0 has size 6; the moves give 24}}
  // expected-note @+1 {{fix: make the dimension 24}}
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0] on @m : (tensor<8x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x4611686018427387904xi1>) {
  // expected-error @+2 {{dimension 1 of operand 0 gets too large}}
  // expected-note @+1 {{fix: use smaller tensors}}
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0] on @m : (tensor<8x4611686018427387904xi1>) -> tensor<2x8xi1>
  return
}

// -----

// permute.

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{has 0 maps}}
  // expected-note @+1 {{fix: give exactly one of pairs, to {...} and shift}}
  %0 = spmd.permute %arg0 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{has 2 maps}}
  // expected-note @+1 {{fix: give exactly one of pairs, to {...} and shift}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 1] shift = [1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{has wrap without shift}}
  // expected-note @+1 {{fix: wrap belongs to shift = [...]}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 1] wrap on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{pairs has 3 numbers}}
  // expected-note @+1 {{fix: write source and target of each pair}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 1, 2] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{target 4 of pair 1 is not among the 4 devices of {"x"}}}
  // expected-note @+1 {{fix: number them from 0 in mixed radix over the axes}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 1, 2, 4] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{source -1 of pair 0 is not among the 24 devices of {"x", "y"}}}
  // expected-note @+1 {{fix: number them from 0}}
  %0 = spmd.permute %arg0 {"x", "y"} pairs = [-1, 1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{source 0 occurs twice}}
  // expected-note @+1 {{fix: each device sends and receives at most once}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 1, 0, 2] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{target 2 occurs twice}}
  // expected-note @+1 {{fix: each device sends and receives at most once}}
  %0 = spmd.permute %arg0 {"x"} pairs = [0, 2, 1, 2] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{has 1 shifts for 2 axes}}
  // expected-note @+1 {{fix: write one shift per axis}}
  %0 = spmd.permute %arg0 {"x", "y"} shift = [1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{target axes {"x", "y":(1)2} are not those of {"x", "y"} in some order}}
  // expected-note @+1 {{fix: name each axis of the first list once}}
  %0 = spmd.permute %arg0 {"x", "y"} to {"x", "y":(1)2} on @m : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// exchange.

spmd.mesh @m = <["x"=4, "y"=6]>
spmd.mesh @n = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{goes from mesh @m to mesh @n}}
  // expected-note @+1 {{fix: use one mesh}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@n, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{mesh @m is not defined}}
  // expected-note @+1 {{fix: add 'spmd.mesh @m}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{has a shape of 2 dimensions and 1 intervals for an operand of rank 1}}
  // expected-note @+1 {{fix: write one size and one interval per dimension}}
  %0 = spmd.exchange %arg0 [8, 8] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{has a shape of 1 dimensions and 2 intervals for an operand of rank 1}}
  // expected-note @+1 {{fix: write one size and one interval per dimension}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 2, 0 + i*0 : 1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{'from' has unreduced axes}}
  // expected-note @+1 {{fix: reduce the value first}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}], unreduced={"y"}> to <@m, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{'to': axis "z" is not in the mesh}}
  // expected-note @+1 {{fix: use an axis of the mesh}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"z"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{dimension 0 of the whole input has size -8}}
  // expected-note @+1 {{fix: sizes are not negative}}
  %0 = spmd.exchange %arg0 [-8] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{dimension 0 of the operand has size 2; 9 in 4 shards gives 3}}
  // expected-note @+1 {{fix: make the dimension 3}}
  %0 = spmd.exchange %arg0 [9] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{interval of dimension 0 is out of range for 6 shards}}
  // expected-note @+1 {{fix: lengths are not negative and indices fit in 64 bits}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"y"}]> [0 + i*2 : -2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{interval of dimension 0 is out of range for 6 shards}}
  // expected-note @+1 {{fix: lengths are not negative and indices fit in 64 bits}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"y"}]> [0 + i*4611686018427387904 : 2] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{dimension 0 of the result has size 2, but its interval has length 3}}
  // expected-note @+1 {{fix: make both the same}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*2 : 3] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{reads dimension 0 of size 7 as 'wrap', but not every shard reads around its own block of 2 there alone}}
  // expected-note @+1 {{fix: use the same axes and the block as step, one such dimension, for wrap blocks that divide it, and for edge no more than a block to either side}}
  %0 = spmd.exchange %arg0 [7] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*2 : 4 wrap] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{reads dimension 0 of size 8 as 'edge', but not every shard reads around its own block of 2 there alone}}
  // expected-note @+1 {{fix: use the same axes}}
  %0 = spmd.exchange %arg0 [8, 18] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [-1 + i*2 : 2 edge, 1 + i*3 : 3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{reads dimension 0 of size 8 as 'wrap'}}
  // expected-note @+1 {{fix: use the same axes}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"x"}]> [7 + i*-2 : 2 wrap] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{reads dimension 0 of size 8 as 'edge'}}
  // expected-note @+1 {{fix: use the same axes}}
  %0 = spmd.exchange %arg0 [8] from <@m, [{"x"}]> to <@m, [{"x"}]> [-3 + i*2 : 2 edge] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// shift.

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{has no dimension 1 to move along; the rank is 1}}
  // expected-note @+1 {{fix: dimensions are numbered from 0}}
  %0 = spmd.shift %arg0 dim = 1 by = 1 wrap : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{would move zeros in}}
  // expected-note @+1 {{fix: use wrap or edge, or a pad}}
  %0 = spmd.shift %arg0 dim = 0 by = 1 zero : tensor<8xf32>
  return
}

// -----

// broadcast, ragged_all_to_all, axis_index.

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{root 4 is not among the 4 devices of {"x"}}}
  // expected-note @+1 {{fix: number them from 0 in mixed radix over the axes}}
  %0 = spmd.broadcast %arg0 {"x"} root = 4 on @m : tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{root -1 is not among}}
  // expected-note @+1 {{fix: number them from 0}}
  %0 = spmd.broadcast %arg0 {"x"} root = -1 on @m : tensor<2xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>, %arg1: tensor<8x5xf32>, %arg2: tensor<4xi32>) {
  // expected-error @+2 {{input is 'tensor<8x6xf32>', but output is 'tensor<8x5xf32>'}}
  // expected-note @+1 {{fix: both have static shapes that differ in dimension 0 at most}}
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<8x5xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<8x5xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<f32>, %arg2: tensor<4xi32>) {
  // expected-error @+2 {{input is 'tensor<f32>', but output is 'tensor<f32>'}}
  // expected-note @+1 {{fix: both have static shapes}}
  %0 = spmd.ragged_all_to_all %arg0, %arg0, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<f32>, tensor<f32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<f32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>, %arg1: tensor<9x6xf32>, %arg2: tensor<4xi32>) {
  // expected-error @+2 {{result is 'tensor<8x6xf32>', but output is 'tensor<9x6xf32>'}}
  // expected-note @+1 {{fix: give the result the type of output}}
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<9x6xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<8x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>, %arg1: tensor<9x6xf32>, %arg2: tensor<4xi32>, %arg3: tensor<8xi32>) {
  // expected-error @+2 {{offsets and sizes include 'tensor<8xi32>' for 4 devices of {"x"}}}
  // expected-note @+1 {{fix: all four are vectors of integers of one type, with a multiple of the devices as length}}
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg3, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<9x6xf32>, tensor<4xi32>, tensor<4xi32>, tensor<8xi32>, tensor<4xi32>) -> tensor<9x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f(%arg0: tensor<8x6xf32>, %arg1: tensor<9x6xf32>, %arg2: tensor<3xi32>) {
  // expected-error @+2 {{offsets and sizes include 'tensor<3xi32>' for 4 devices of {"x"}}}
  // expected-note @+1 {{fix: all four are vectors}}
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<9x6xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<9x6xf32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f() {
  // expected-error @+2 {{gives 'tensor<f32>'}}
  // expected-note @+1 {{fix: the index is an integer of rank 0}}
  %0 = spmd.axis_index {"x"} on @m : tensor<f32>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=6]>
func.func @f() {
  // expected-error @+2 {{gives 'tensor<4xi32>'}}
  // expected-note @+1 {{fix: the index is an integer of rank 0}}
  %0 = spmd.axis_index {"x"} on @m : tensor<4xi32>
  return
}

// -----

// Attributes of the wrong kind.

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{failed to satisfy constraint: axis lists, one per dimension}}
  %0 = "spmd.all_gather"(%arg0) <{gather_axes = ["x"], mesh = @m}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{Invalid attribute `kind` in property conversion: "add"}}
  %0 = "spmd.all_reduce"(%arg0) <{axes = #spmd.axes<{"x"}>, kind = "add", mesh = @m}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'axes'}}
  %0 = "spmd.broadcast"(%arg0) <{root = 0, mesh = @m}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}
