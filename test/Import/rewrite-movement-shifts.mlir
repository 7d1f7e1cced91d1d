// jnp.roll and slices of jnp.pad in the modes wrap and edge are shifts.
// RUN: partita-opt %s --spmd-rewrite-movement | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --no-cache --compare=unsharded

spmd.mesh @m = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@m, [{"x"}, {"y"}]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: call
func.func @main(%a: tensor<8x9xf32> {spmd.sharding = #xy}) -> (tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>) {
  // CHECK: %[[ROLLED:.*]] = spmd.shift %arg0 dim = 0 by = 3 wrap
  %0 = stablehlo.slice %a [5:8, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<3x9xf32>
  %1 = stablehlo.slice %a [0:5, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<5x9xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {spmd.shardings = [#xy]} : (tensor<3x9xf32>, tensor<5x9xf32>) -> tensor<8x9xf32>
  // Two edges continue the ends; what is sliced out of the middle is not moved.
  // CHECK-DAG: %[[UP:.*]] = spmd.shift %arg0 dim = 0 by = -1 edge
  // CHECK-DAG: %[[DOWN:.*]] = spmd.shift %arg0 dim = 0 by = 1 edge
  // CHECK: stablehlo.add %[[UP]], %[[DOWN]]
  // CHECK: stablehlo.add %{{.*}}, %arg0
  %3 = func.call @edge(%a) {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<10x9xf32>
  %4 = stablehlo.slice %3 [2:10, 0:9] {spmd.shardings = [#xy]} : (tensor<10x9xf32>) -> tensor<8x9xf32>
  %5 = stablehlo.slice %3 [0:8, 0:9] {spmd.shardings = [#xy]} : (tensor<10x9xf32>) -> tensor<8x9xf32>
  %6 = stablehlo.slice %3 [1:9, 0:9] {spmd.shardings = [#xy]} : (tensor<10x9xf32>) -> tensor<8x9xf32>
  %7 = stablehlo.add %4, %5 {spmd.shardings = [#xy]} : tensor<8x9xf32>
  %8 = stablehlo.add %7, %6 {spmd.shardings = [#xy]} : tensor<8x9xf32>
  // One slice of two dimensions that go round.
  // CHECK: %[[ROWS:.*]] = spmd.shift %arg0 dim = 0 by = 2 wrap
  // CHECK: spmd.shift %[[ROWS]] dim = 1 by = -1 wrap
  %9 = stablehlo.slice %a [6:8, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<2x9xf32>
  %10 = stablehlo.concatenate %9, %a, dim = 0 {spmd.shardings = [#xy]} : (tensor<2x9xf32>, tensor<8x9xf32>) -> tensor<10x9xf32>
  %11 = stablehlo.slice %10 [0:10, 0:1] {spmd.shardings = [#xy]} : (tensor<10x9xf32>) -> tensor<10x1xf32>
  %12 = stablehlo.concatenate %10, %11, dim = 1 {spmd.shardings = [#xy]} : (tensor<10x9xf32>, tensor<10x1xf32>) -> tensor<10x10xf32>
  %13 = stablehlo.slice %12 [0:8, 1:10] {spmd.shardings = [#xy]} : (tensor<10x10xf32>) -> tensor<8x9xf32>
  return %2, %8, %13, %a : tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>
}
func.func private @edge(%a: tensor<8x9xf32> {spmd.sharding = #xy}) -> (tensor<10x9xf32> {spmd.sharding = #xy}) {
  %0 = stablehlo.slice %a [0:1, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}, {"y"}]>]} : (tensor<1x9xf32>) -> tensor<1x1x9xf32>
  %2 = stablehlo.reshape %1 {spmd.shardings = [#xy]} : (tensor<1x1x9xf32>) -> tensor<1x9xf32>
  %3 = stablehlo.slice %a [7:8, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}, {"y"}]>]} : (tensor<1x9xf32>) -> tensor<1x1x9xf32>
  %5 = stablehlo.reshape %4 {spmd.shardings = [#xy]} : (tensor<1x1x9xf32>) -> tensor<1x9xf32>
  %6 = stablehlo.concatenate %2, %a, %5, dim = 0 {spmd.shardings = [#xy]} : (tensor<1x9xf32>, tensor<8x9xf32>, tensor<1x9xf32>) -> tensor<10x9xf32>
  return %6 : tensor<10x9xf32>
}

// Parts that overlap, parts of two values, a wrong edge, a slice that is longer
// than the value, and what is whole on each device.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT: spmd.shift
func.func @unchanged(%a: tensor<8x9xf32> {spmd.sharding = #xy}, %b: tensor<8x9xf32> {spmd.sharding = #xy}) -> (tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<9x9xf32>, tensor<8x9xf32>) {
  %0 = stablehlo.slice %a [4:8, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<4x9xf32>
  %1 = stablehlo.slice %a [1:5, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<4x9xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {spmd.shardings = [#xy]} : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<8x9xf32>
  %3 = stablehlo.slice %b [0:4, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<4x9xf32>
  %4 = stablehlo.concatenate %0, %3, dim = 0 {spmd.shardings = [#xy]} : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<8x9xf32>
  %5 = stablehlo.slice %a [1:2, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %6 = stablehlo.concatenate %5, %a, dim = 0 {spmd.shardings = [#xy]} : (tensor<1x9xf32>, tensor<8x9xf32>) -> tensor<9x9xf32>
  %7 = stablehlo.slice %6 [0:8, 0:9] {spmd.shardings = [#xy]} : (tensor<9x9xf32>) -> tensor<8x9xf32>
  %8 = stablehlo.slice %a [7:8, 0:9] {spmd.shardings = [#xy]} : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %9 = stablehlo.concatenate %8, %a, %8, dim = 0 {spmd.shardings = [#xy]} : (tensor<1x9xf32>, tensor<8x9xf32>, tensor<1x9xf32>) -> tensor<10x9xf32>
  %10 = stablehlo.slice %9 [0:9, 0:9] {spmd.shardings = [#xy]} : (tensor<10x9xf32>) -> tensor<9x9xf32>
  %11 = spmd.reshard %a <@m, [{}, {}]> {spmd.shardings = [#spmd.sharding<@m, [{}, {}]>]} : tensor<8x9xf32>
  %12 = stablehlo.slice %11 [5:8, 0:9] {spmd.shardings = [#spmd.sharding<@m, [{}, {}]>]} : (tensor<8x9xf32>) -> tensor<3x9xf32>
  %13 = stablehlo.slice %11 [0:5, 0:9] {spmd.shardings = [#spmd.sharding<@m, [{}, {}]>]} : (tensor<8x9xf32>) -> tensor<5x9xf32>
  %14 = stablehlo.concatenate %12, %13, dim = 0 {spmd.shardings = [#spmd.sharding<@m, [{}, {}]>]} : (tensor<3x9xf32>, tensor<5x9xf32>) -> tensor<8x9xf32>
  return %2, %4, %7, %10, %14 : tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<9x9xf32>, tensor<8x9xf32>
}
