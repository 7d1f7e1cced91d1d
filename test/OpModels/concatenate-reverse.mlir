// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Each operand of a concatenation along a sharded dimension is fetched at its place and
// the place decides; a reversed dimension is fetched from its mirror image.

spmd.mesh @m = <["x"=2, "y"=3]>
#n_x = #spmd.sharding<@m, [{}, {"x"}]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>

func.func @main(%a: tensor<4x3xf32> {spmd.sharding = #n_x}, %b: tensor<4x5xf32> {spmd.sharding = #n_x}, %c: tensor<7x4xf32> {spmd.sharding = #x_y}) -> (tensor<4x8xf32> {spmd.sharding = #n_x}, tensor<7x4xf32> {spmd.sharding = #x_y}) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 {spmd.shardings = [#n_x]} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.reverse %c, dims = [0] {spmd.shardings = [#x_y]} : tensor<7x4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<7x4xf32>
}

// RULE: stablehlo.concatenate: ([i, j],[i, j])->([i, j]) {i=4, j=8 halo}
// RULE: stablehlo.reverse: ([i, j])->([i, j]) {i=7 halo, j=4}
//
// PART: spmd.exchange {{%.*}} [4, 5] from <@m, [{}, {"x"}]> to <@m, [{}, {"x"}]> [0 + i*4 : 4, -3 + i*4 : 4] : (tensor<4x3xf32>) -> tensor<4x4xf32>
// PART: spmd.exchange {{%.*}} [4, 3] from <@m, [{}, {"x"}]> to <@m, [{}, {"x"}]> [0 + i*4 : 4, 0 + i*4 : 4] : (tensor<4x2xf32>) -> tensor<4x4xf32>
// PART: stablehlo.compare LT, {{%.*}} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
// PART: stablehlo.select {{%.*}} : tensor<4x4xi1>, tensor<4x4xf32>
// PART: spmd.exchange {{%.*}} [7, 4] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [3 + i*-4 : 4, 0 + i*2 : 2] : (tensor<4x2xf32>) -> tensor<4x2xf32>
// PART: stablehlo.reverse {{%.*}}dims = [0] : tensor<4x2xf32>
