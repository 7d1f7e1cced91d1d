// RUN: partita-opt %s --spmd-place-reshards --spmd-verify-placed | FileCheck %s

// What an op fetches inside has a price.

spmd.mesh @mesh = <["x"=2, "y"=4]>
spmd.mesh @line = <["d"=8]>

// Half of the rows of a sharded dimension live on one device each: both slices
// would fetch half a tile, where an all-to-all moves half a tile once.
// CHECK-LABEL: func.func @halves
// CHECK:         %[[T:.*]] = spmd.reshard %arg0 <@mesh, [{}, {"y", "x"}]>
// CHECK:         stablehlo.slice %[[T]] [0:4000
// CHECK:         stablehlo.slice %[[T]] [4000:8000
func.func @halves(%a: tensor<8000x10000xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4000xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [0:4000, 0:10000] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]} : (tensor<8000x10000xf32>) -> tensor<4000x10000xf32>
  %1 = stablehlo.slice %a [4000:8000, 0:10000] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]} : (tensor<8000x10000xf32>) -> tensor<4000x10000xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : (tensor<4000x10000xf32>, tensor<4000x10000xf32>) -> tensor<4000xf32>
  return %2 : tensor<4000xf32>
}

// Blocks of 12 rows begin where those of 16 do: the slice and the pad find all
// that they read at home, whatever propagation thought of the rows between.
// CHECK-LABEL: func.func @at_home
// CHECK-NOT:     spmd.reshard
// CHECK:         return
func.func @at_home(%a: tensor<16x32xf32> {spmd.sharding = #spmd.sharding<@line, [{"d"}, {}]>}, %z: tensor<f32> {spmd.sharding = #spmd.sharding<@line, []>}) -> (tensor<16x32xf32> {spmd.sharding = #spmd.sharding<@line, [{"d"}, {}]>}) {
  %0 = stablehlo.slice %a [0:12, 0:32] {spmd.shardings = [#spmd.sharding<@line, [{}, {}]>]} : (tensor<16x32xf32>) -> tensor<12x32xf32>
  %1 = stablehlo.negate %0 {spmd.shardings = [#spmd.sharding<@line, [{}, {}]>]} : tensor<12x32xf32>
  %2 = stablehlo.pad %1, %z, low = [0, 0], high = [4, 0], interior = [0, 0] {spmd.shardings = [#spmd.sharding<@line, [{"d"}, {}]>]} : (tensor<12x32xf32>, tensor<f32>) -> tensor<16x32xf32>
  return %2 : tensor<16x32xf32>
}

// One row from a neighbour is cheaper than any other layout.
// CHECK-LABEL: func.func @shift
// CHECK-NOT:     spmd.reshard
// CHECK:         return
func.func @shift(%a: tensor<4096x4096xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}, %z: tensor<f32> {spmd.sharding = #spmd.sharding<@mesh, []>}) -> (tensor<4096x4096xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.pad %a, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : (tensor<4096x4096xf32>, tensor<f32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// A reversal of a sharded dimension sends everything; of a whole one, nothing.
// CHECK-LABEL: func.func @reverse
// CHECK-NOT:     spmd.reshard
// CHECK:         stablehlo.reverse %arg0, dims = [1]
// CHECK-SAME:      [{"x", "y"}, {}]
func.func @reverse(%a: tensor<64x64xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<64x64xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = stablehlo.reverse %a, dims = [1] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {"y"}]>]} : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
