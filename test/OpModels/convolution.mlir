// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Batches, output features and groups are parallel, input features a sum. Group counts
// become local. A sharded spatial dimension fetches what its windows read.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n_n_y = #spmd.sharding<@m, [{"x"}, {}, {}, {"y"}]>
#n_n_x = #spmd.sharding<@m, [{}, {}, {"x"}]>
#n_y_n = #spmd.sharding<@m, [{}, {"y"}, {}]>
#n_y_x = #spmd.sharding<@m, [{}, {"y"}, {"x"}]>

func.func @main(%a: tensor<4x7x7x6xf32> {spmd.sharding = #x_n_n_y}, %k: tensor<3x3x6x5xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {}, {"y"}, {}]>}, %g: tensor<2x5x12xf32> {spmd.sharding = #n_n_x}, %h: tensor<3x6x8xf32> {spmd.sharding = #n_n_x}, %s: tensor<2x9x3xf32> {spmd.sharding = #n_y_n}, %t: tensor<3x3x4xf32> {spmd.sharding = #n_n_x})
    -> (tensor<4x7x7x5xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}, {}, {}]>}, tensor<2x3x8xf32> {spmd.sharding = #n_n_x}, tensor<2x5x4xf32> {spmd.sharding = #n_y_x}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}, {}, {}], unreduced={"y"}>]} : (tensor<4x7x7x6xf32>, tensor<3x3x6x5xf32>) -> tensor<4x7x7x5xf32>
  %1 = spmd.reshard %0 <@m, [{"x"}, {}, {}, {}]> {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}, {}, {}]>]} : tensor<4x7x7x5xf32>
  %2 = stablehlo.convolution(%g, %h) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, spmd.shardings = [#n_n_x]} : (tensor<2x5x12xf32>, tensor<3x6x8xf32>) -> tensor<2x3x8xf32>
  %3 = stablehlo.convolution(%s, %t) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#n_y_x]} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x5x4xf32>
  return %1, %2, %3 : tensor<4x7x7x5xf32>, tensor<2x3x8xf32>, tensor<2x5x4xf32>
}

// RULE: stablehlo.convolution: ([i, j, k, l],[n, o, l, m])->([i, j, k, m]) {i=4, j=7 halo, k=7 halo, l=6 add, m=5, n=1 replicated gathered, o=1 replicated gathered}
// RULE: stablehlo.convolution: ([i, j, kl],[n, l, km])->([i, j, km]) {i=2, j=3 halo, k=2, l=6 add, m=4, n=1 replicated gathered}
// RULE: stablehlo.convolution: ([i, j, k],[m, k, l])->([i, j, l]) {i=2, j=5 halo, k=3 add, l=4, m=1 replicated gathered}
//
// PART: stablehlo.convolution({{%.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = {{\[\[}}1, 1], [1, 1{{\]\]}}} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x2xf32>, tensor<3x3x2x5xf32>) -> tensor<2x7x7x5xf32>
// PART: spmd.all_reduce add {{%.*}} {"y"} on @m : (tensor<2x7x7x5xf32>) -> tensor<2x7x7x5xf32>
// PART: stablehlo.convolution({{%.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6xf32>, tensor<3x6x4xf32>) -> tensor<2x3x4xf32>
// PART: spmd.exchange {{%.*}} [2, 9, 3] from <@m, [{}, {"y"}, {}]> to <@m, [{}, {"y"}, {}]> [0 + i*2 : 2, -1 + i*4 : 5, 0 + i*3 : 3] : (tensor<2x3x3xf32>) -> tensor<2x5x3xf32>
// PART: stablehlo.convolution({{%.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = {{\[\[}}0, 0{{\]\]}}} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<3x3x2xf32>) -> tensor<2x2x2xf32>
