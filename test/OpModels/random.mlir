// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" --remarks-filter=partition 2>&1 | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact
// RUN: %make_npz %t.npz u8:2:7,18446744073709551613 u8:3:5,18446744073709551614,9
// RUN: partita-run %s --partita=uneven-io=pad --compare=unsharded --engine=eval --inputs=%t.npz

// The bits do not depend on the layout. Of THREE_FRY and PHILOX each device makes
// those of its block from their counters: pairs along an even dimension, along
// the longest odd one, words of 64 bits, uneven blocks; the state goes on as the
// whole op leaves it, carry included. Of DEFAULT every device makes all and keeps its block.

sdy.mesh @m = <["x"=2, "y"=3]>
#xy = #sdy.sharding<@m, [{"x"}, {"y"}]>

// RULE: stablehlo.rng_bit_generator: ([i])->([i],[j, k]) {i=2 replicated direction=none gathered, j=5, k=6}

// PART: stablehlo.rng_bit_generator: computed whole on each device, 120 bytes, because the bits must not depend on the layout
// PART-LABEL: func.func @main
// PART-NOT: algorithm = THREE_FRY
// PART-NOT: algorithm = PHILOX
// PART: stablehlo.rng_bit_generator {{.*}}algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
// PART-NOT: stablehlo.rng_bit_generator
func.func @main(%k: tensor<2xui64>, %p: tensor<3xui64>) -> (tensor<5x6xui32> {sdy.sharding = #xy}, tensor<5x7xui32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, tensor<7x3x5xui64> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}, {}]>}, tensor<2xui64>, tensor<5x7xui32> {sdy.sharding = #xy}, tensor<5x7xui64> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, tensor<3xui64>, tensor<5x6xui32> {sdy.sharding = #xy}) {
  %0:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
  %1:2 = stablehlo.rng_bit_generator %0#0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui32>)
  %2:2 = stablehlo.rng_bit_generator %1#0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x3x5xui64>)
  %3:2 = stablehlo.rng_bit_generator %p, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5x7xui32>)
  %4:2 = stablehlo.rng_bit_generator %3#0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5x7xui64>)
  %5:2 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
  return %0#1, %1#1, %2#1, %2#0, %3#1, %4#1, %4#0, %5#1 : tensor<5x6xui32>, tensor<5x7xui32>, tensor<7x3x5xui64>, tensor<2xui64>, tensor<5x7xui32>, tensor<5x7xui64>, tensor<3xui64>, tensor<5x6xui32>
}
