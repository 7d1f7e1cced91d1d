// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The bits do not depend on the layout: every device makes all and keeps its block.

spmd.mesh @m = <["x"=2, "y"=3]>
#n = #spmd.sharding<@m, [{}]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>

func.func @main(%k: tensor<2xui64> {spmd.sharding = #n}) -> (tensor<2xui64> {spmd.sharding = #n}, tensor<5x6xui32> {spmd.sharding = #x_y}) {
  %0:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY {spmd.shardings = [#n, #x_y]} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<5x6xui32>
}

// RULE: stablehlo.rng_bit_generator: ([i])->([i],[j, k]) {i=2 replicated direction=none gathered, j=5, k=6}
//
// PART: stablehlo.rng_bit_generator {{%.*}}algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
// PART: spmd.all_slice {{%.*}} [{"x"}, {"y"}] on @m : (tensor<5x6xui32>) -> tensor<3x2xui32>
