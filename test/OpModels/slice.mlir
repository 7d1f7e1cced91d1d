// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The device fetches the interval of the operand that its block of the result shows and
// cuts it with the stride.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#n_y = #spmd.sharding<@m, [{}, {"y"}]>

func.func @main(%a: tensor<12x7xf32> {spmd.sharding = #x_y}) -> (tensor<7x7xf32> {spmd.sharding = #x_y}, tensor<4x3xf32> {spmd.sharding = #x_n}, tensor<5x7xf32> {spmd.sharding = #n_y}) {
  %0 = stablehlo.slice %a [2:9, 0:7] {spmd.shardings = [#x_y]} : (tensor<12x7xf32>) -> tensor<7x7xf32>
  %1 = spmd.reshard %a <@m, [{"x"}, {}]> {spmd.shardings = [#x_n]} : tensor<12x7xf32>
  %2 = stablehlo.slice %1 [1:12:3, 0:6:2] {spmd.shardings = [#x_n]} : (tensor<12x7xf32>) -> tensor<4x3xf32>
  %3 = spmd.reshard %a <@m, [{}, {"y"}]> {spmd.shardings = [#n_y]} : tensor<12x7xf32>
  %4 = stablehlo.slice %3 [3:8, 0:7] {spmd.shardings = [#n_y]} : (tensor<12x7xf32>) -> tensor<5x7xf32>
  return %0, %2, %4 : tensor<7x7xf32>, tensor<4x3xf32>, tensor<5x7xf32>
}

// RULE: stablehlo.slice: ([i, j])->([i, j]) {i=12 halo, j=7}
// RULE: stablehlo.slice: ([i, j])->([i, j]) {i=12 halo, j=7 halo}
//
// PART: spmd.exchange {{%.*}} [12, 7] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [2 + i*4 : 4, 0 + i*3 : 3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
// PART: stablehlo.slice {{%.*}} [0:6, 0:7] : (tensor<6x9xf32>) -> tensor<6x7xf32>
// PART: spmd.exchange {{%.*}} [12, 7] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [1 + i*6 : 4, 0 + i*7 : 7] : (tensor<6x7xf32>) -> tensor<4x7xf32>
// PART: stablehlo.slice {{%.*}} [0:4:3, 0:6:2] : (tensor<4x7xf32>) -> tensor<2x3xf32>
// PART: stablehlo.slice {{%.*}} [3:8, 0:3] : (tensor<12x3xf32>) -> tensor<5x3xf32>
