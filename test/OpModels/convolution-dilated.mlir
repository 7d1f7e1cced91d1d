// A dilated input (conv_transpose, gradients of strided convolutions) is split like
// another: each block of the result reads an interval of it and pads that by itself.
// Where blocks begin at different phases of the dilation, an interval of the result
// that begins at one and covers the block is computed, and cut. Where that would be
// as long as the dimension, the dimension is whole.
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s
// RUN: partita-opt %s --spmd-partition --remarks-filter=partition -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --no-cache --compare=unsharded

spmd.mesh @m = <["x"=2, "y"=3]>
#y = #spmd.sharding<@m, [{}, {"y"}, {}]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2x6x3xf32> {spmd.sharding = #y}, %b: tensor<2x7x3xf32> {spmd.sharding = #y}, %k: tensor<3x3x4xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {}, {}]>})
    -> (tensor<2x12x4xf32> {spmd.sharding = #y}, tensor<2x9x4xf32> {spmd.sharding = #y}, tensor<2x15x4xf32> {spmd.sharding = #y}, tensor<2x5x4xf32> {spmd.sharding = #y}) {
  // Four windows read three elements in blocks of two.
  // CHECK: spmd.exchange %{{.*}} [2, 6, 3] {{.*}} [0 + i*2 : 2, -1 + i*2 : 3, 0 + i*3 : 3]
  // CHECK: stablehlo.convolution({{.*}} window = {pad = {{\[\[}}0, 1{{\]\]}}, lhs_dilate = [2]}{{.*}} : (tensor<2x3x3xf32>, tensor<3x3x4xf32>) -> tensor<2x4x4xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#y]} : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x12x4xf32>
  // Stride and dilation of two and three: blocks of three begin at one phase.
  // CHECK: spmd.exchange %{{.*}} [2, 7, 3]
  // CHECK: stablehlo.convolution({{.*}} window = {stride = [2], pad = {{.*}}, lhs_dilate = [3]}{{.*}} -> tensor<2x3x4xf32>
  %1 = stablehlo.convolution(%b, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], lhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#y]} : (tensor<2x7x3xf32>, tensor<3x3x4xf32>) -> tensor<2x9x4xf32>
  // Blocks of five begin at 0, 5 and 10, intervals of eight at 0, 4 and 8.
  // CHECK: spmd.exchange %{{.*}} [2, 7, 3] {{.*}} [0 + i*2 : 2, -1 + i*2 : 5, 0 + i*3 : 3]
  // CHECK: stablehlo.convolution({{.*}} window = {pad = {{\[\[}}0, 1{{\]\]}}, lhs_dilate = [2]}{{.*}} -> tensor<2x8x4xf32>
  // CHECK: stablehlo.dynamic_slice {{.*}} sizes = [2, 5, 4] : (tensor<2x8x4xf32>
  %2 = stablehlo.convolution(%b, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#y]} : (tensor<2x7x3xf32>, tensor<3x3x4xf32>) -> tensor<2x15x4xf32>
  // The multiple of four next to blocks of two is zero: the cover is the dimension.
  // WHOLE: ComputedWhole{{.*}}stablehlo.convolution: computed whole on each device, 168 bytes, because intervals at one phase of the dilation that cover its blocks are as long as the dimension
  // CHECK: spmd.all_gather
  // CHECK: stablehlo.convolution({{.*}} lhs_dilate = [4]}{{.*}} -> tensor<2x5x4xf32>
  // CHECK: spmd.all_slice
  %3 = stablehlo.convolution(%b, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[-10, -8]], lhs_dilate = [4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#y]} : (tensor<2x7x3xf32>, tensor<3x3x4xf32>) -> tensor<2x5x4xf32>
  return %0, %1, %2, %3 : tensor<2x12x4xf32>, tensor<2x9x4xf32>, tensor<2x15x4xf32>, tensor<2x5x4xf32>
}
