// Pads, slices and concatenation name the interval of the whole value that each
// shard needs. Where every device has it, local ops do; else one exchange.
// RUN: partita-opt %s --spmd-partition | FileCheck %s

spmd.mesh @mesh = <["x"=4]>

// The padded dimension is whole, the other one is sharded: the same pad.
// CHECK-LABEL: func.func @pad_beside
// CHECK:         stablehlo.pad %arg0, {{.*}} low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x8xf32>
// CHECK-NOT:     spmd.
// CHECK:         return
func.func @pad_beside(%a: tensor<8x5xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [0, 1], high = [0, 2], interior = [0, 0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A shift by one along the sharded dimension: block i needs [2i - 1, 2i + 1) of
// eight; what lies outside the whole is the pad value.
// CHECK-LABEL: func.func @shift
// CHECK:         %[[E:.*]] = spmd.exchange %arg0 [8] from <@mesh, [{"x"}]> to <@mesh, [{"x"}]> [-1 + i*2 : 2]
// CHECK:         stablehlo.select {{.*}}, %[[E]]
func.func @shift(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant {spmd.shardings = [#spmd.sharding<@mesh, []>]} dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [1], high = [-1], interior = [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Reversal: the mirrored device's block, then reversed locally.
// CHECK-LABEL: func.func @mirror
// CHECK-NEXT:    %[[E:.*]] = spmd.exchange %arg0 [8] from <@mesh, [{"x"}]> to <@mesh, [{"x"}]> [6 + i*-2 : 2]
// CHECK-NEXT:    stablehlo.reverse %[[E]], dims = [0]
func.func @mirror(%a: tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.reverse %a, dims = [0] {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
