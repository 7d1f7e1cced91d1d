// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The device fetches what its block shows of the operand and replaces what lies outside.
// Where the period of interior padding does not divide the block, an interval that begins
// at multiples of the period and covers the block is padded, and cut. Where that would be
// as long as the dimension, the dimension is whole.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>

func.func @main(%a: tensor<6x5xf32> {spmd.sharding = #x_y}, %z: tensor<f32> {spmd.sharding = #s}, %c: tensor<5x4xf32> {spmd.sharding = #x_n})
    -> (tensor<9x5xf32> {spmd.sharding = #x_y}, tensor<6x5xf32> {spmd.sharding = #x_y}, tensor<8x4xf32> {spmd.sharding = #x_n}, tensor<10x4xf32> {spmd.sharding = #x_n}, tensor<2x4xf32> {spmd.sharding = #x_n}) {
  %0 = stablehlo.pad %a, %z, low = [1, 0], high = [2, 0], interior = [0, 0] {spmd.shardings = [#x_y]} : (tensor<6x5xf32>, tensor<f32>) -> tensor<9x5xf32>
  %1 = stablehlo.pad %a, %z, low = [-1, 0], high = [1, 0], interior = [0, 0] {spmd.shardings = [#x_y]} : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  %2 = stablehlo.pad %c, %z, low = [-1, 0], high = [0, 0], interior = [1, 0] {spmd.shardings = [#x_n]} : (tensor<5x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %3 = stablehlo.pad %c, %z, low = [1, 0], high = [0, 0], interior = [1, 0] {spmd.shardings = [#x_n]} : (tensor<5x4xf32>, tensor<f32>) -> tensor<10x4xf32>
  %4 = stablehlo.pad %c, %z, low = [-3, 0], high = [-4, 0], interior = [1, 0] {spmd.shardings = [#x_n]} : (tensor<5x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3, %4 : tensor<9x5xf32>, tensor<6x5xf32>, tensor<8x4xf32>, tensor<10x4xf32>, tensor<2x4xf32>
}

// RULE: stablehlo.pad: ([i, j],[])->([i, j]) {i=6 halo, j=5}
// RULE: stablehlo.pad: ([i, j],[])->([i, j]) {i=5 halo, j=4}
//
// PART: spmd.exchange {{%.*}} [6, 5] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [-1 + i*5 : 5, 0 + i*2 : 2] : (tensor<3x2xf32>) -> tensor<5x2xf32>
// PART: stablehlo.compare GE, {{%.*}} : (tensor<5x2xi32>, tensor<5x2xi32>) -> tensor<5x2xi1>
// PART: stablehlo.compare LT, {{%.*}} : (tensor<5x2xi32>, tensor<5x2xi32>) -> tensor<5x2xi1>
// PART: stablehlo.select {{%.*}} : tensor<5x2xi1>, tensor<5x2xf32>
// PART: spmd.exchange {{%.*}} [6, 5] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [1 + i*3 : 3, 0 + i*2 : 2] : (tensor<3x2xf32>) -> tensor<3x2xf32>
// PART: stablehlo.compare LT, {{%.*}} : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi1>
// PART: stablehlo.select {{%.*}} : tensor<3x2xi1>, tensor<3x2xf32>
// PART: spmd.exchange {{%.*}} [5, 4] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [1 + i*2 : 2, 0 + i*4 : 4] : (tensor<3x4xf32>) -> tensor<2x4xf32>
// PART: stablehlo.pad {{%.*}}low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4x4xf32>
// Nothing of the result lies outside.
// PART-NOT: stablehlo.select
// PART: spmd.exchange {{%.*}} [5, 4] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [0 + i*2 : 3, 0 + i*4 : 4] : (tensor<3x4xf32>) -> tensor<3x4xf32>
// PART: stablehlo.pad {{%.*}}low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<6x4xf32>
// PART: stablehlo.dynamic_slice {{%.*}} sizes = [5, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
// PART: spmd.all_gather {{%.*}} [{"x"}, {}] on @m : (tensor<3x4xf32>) -> tensor<6x4xf32>
// PART: stablehlo.pad {{%.*}}low = [-3, 0], high = [-4, 0], interior = [1, 0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// PART: spmd.all_slice {{%.*}} [{"x"}, {}] on @m : (tensor<2x4xf32>) -> tensor<1x4xf32>
