// Shifts fetch blocks round the ends of a dimension or from its edges: in one
// exchange, but for a wrap of blocks that do not divide the dimension.
// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-partition | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --no-cache --compare=unsharded
// RUN: partita-translate %s --partita=uneven-io=pad --spmd-to-manual | FileCheck %s --check-prefix=MANUAL

spmd.mesh @m = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@m, [{"x"}, {"y"}]>

// RULE: spmd.shift: ([i, j])->([i, j]) {i=8 halo, j=9}
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x9xf32> {spmd.sharding = #xy}, %b: tensor<7x10xf32> {spmd.sharding = #xy}, %w: tensor<4x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>})
    -> (tensor<8x9xf32> {spmd.sharding = #xy}, tensor<8x9xf32> {spmd.sharding = #xy}, tensor<7x10xf32> {spmd.sharding = #xy}, tensor<7x10xf32> {spmd.sharding = #xy}, tensor<7x10xf32> {spmd.sharding = #xy}, tensor<7x10xf32> {spmd.sharding = #xy}, tensor<4x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>}, tensor<4x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {}]>}) {
  // Seven rows up is one row down; 5 of 9 columns reach over a block and more.
  // CHECK: %[[ROWS:.*]] = spmd.exchange %{{.*}} [8, 9] {{.*}} [-1 + i*4 : 4 wrap, 0 + i*3 : 3]
  // CHECK: spmd.exchange %[[ROWS]] [8, 9] {{.*}} [0 + i*4 : 4, 4 + i*3 : 3 wrap]
  // MANUAL: stablehlo.slice %{{.*}} [3:4, 0:3]
  // MANUAL: "stablehlo.collective_permute"
  // MANUAL: stablehlo.slice %{{.*}} [0:3, 0:3]
  // MANUAL: stablehlo.concatenate {{.*}} dim = 0
  %0 = spmd.shift %a dim = 0 by = -7 wrap {spmd.shardings = [#xy]} : tensor<8x9xf32>
  %1 = spmd.shift %0 dim = 1 by = 5 wrap {spmd.shardings = [#xy]} : tensor<8x9xf32>
  // CHECK: spmd.exchange %{{.*}} [8, 9] {{.*}} [2 + i*4 : 4 edge, 0 + i*3 : 3]
  %2 = spmd.shift %a dim = 0 by = -2 edge {spmd.shardings = [#xy]} : tensor<8x9xf32>
  // Seven rows in blocks of four do not go round: two exchanges.
  // CHECK: spmd.exchange %{{.*}} [7, 10] {{.*}} [-1 + i*4 : 4, 0 + i*4 : 4]
  // CHECK: spmd.exchange %{{.*}} [7, 10] {{.*}} [6 + i*4 : 4, 0 + i*4 : 4]
  // CHECK: stablehlo.select
  %3 = spmd.shift %b dim = 0 by = 1 wrap {spmd.shardings = [#xy]} : tensor<7x10xf32>
  // CHECK: spmd.exchange %{{.*}} [7, 10] {{.*}} [0 + i*4 : 4, -4 + i*4 : 4 edge]
  %4 = spmd.shift %b dim = 1 by = 4 edge {spmd.shardings = [#xy]} : tensor<7x10xf32>
  // The last row is all that five rows up leave of the second block, whatever
  // device has it; the last column is one of two in its block.
  // CHECK: spmd.all_gather
  %7 = spmd.shift %b dim = 0 by = -5 edge {spmd.shardings = [#xy]} : tensor<7x10xf32>
  // CHECK: spmd.exchange %{{.*}} [7, 10] {{.*}} [0 + i*4 : 4, 3 + i*4 : 4 edge]
  %8 = spmd.shift %b dim = 1 by = -3 edge {spmd.shardings = [#xy]} : tensor<7x10xf32>
  // What is whole is put together from its parts.
  // CHECK-NOT: spmd.exchange
  // CHECK: stablehlo.slice %{{.*}} [0:2, 0:4]
  // CHECK: stablehlo.slice %{{.*}} [0:2, 4:6]
  // CHECK: stablehlo.concatenate
  %5 = spmd.shift %w dim = 1 by = 2 wrap {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}]>]} : tensor<4x6xf32>
  // CHECK: stablehlo.broadcast_in_dim {{.*}} (tensor<2x1xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.concatenate
  %6 = spmd.shift %w dim = 1 by = -2 edge {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}]>]} : tensor<4x6xf32>
  return %1, %2, %3, %4, %7, %8, %5, %6 : tensor<8x9xf32>, tensor<8x9xf32>, tensor<7x10xf32>, tensor<7x10xf32>, tensor<7x10xf32>, tensor<7x10xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
