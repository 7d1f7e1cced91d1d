// The gradient of a kernel is a convolution whose kernel is as large as its input. Split along the image, a device has
// a block of either, fetches what its block of the kernel meets in any window, and sums its part: partial results.
// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --no-cache --compare=unsharded

// RULE: ([l, j, k, i],[l, j, k, m])->([n, o, i, m]) {i=3, j=14 halo add, k=9 halo add, l=2 add, m=4, n=1 replicated gathered, o=1 replicated gathered}
// RULE: ([m, jk, l, i],[m, j, l, n])->([k, o, i, n]) {i=3, j=7 halo add, k=2 halo, l=5 halo add, m=2 add, n=4, o=1 replicated gathered}

spmd.mesh @m = <["x"=2, "y"=3]>
#y = #spmd.sharding<@m, [{}, {"y"}, {}, {}]>
#xy = #spmd.sharding<@m, [{}, {"y"}, {"x"}, {}]>
#all = #spmd.sharding<@m, [{}, {}, {}, {}]>
#sum_y = #spmd.sharding<@m, [{}, {}, {}, {}], unreduced={"y"}>
#sum_xy = #spmd.sharding<@m, [{}, {}, {}, {}], unreduced={"x", "y"}>

func.func @main(%a: tensor<2x14x9x3xf32> {spmd.sharding = #xy}, %d: tensor<2x14x9x4xf32> {spmd.sharding = #xy}, %e: tensor<2x7x5x4xf32> {spmd.sharding = #xy}, %f: tensor<2x12x7x4xf32> {spmd.sharding = #y})
    -> (tensor<3x3x3x4xf32> {spmd.sharding = #all}, tensor<3x3x3x4xf32> {spmd.sharding = #all}, tensor<3x3x3x4xf32> {spmd.sharding = #all}, tensor<3x3x3x4xf32> {spmd.sharding = #all}) {
  // Blocks of 5 and 5. Beyond its end, the kernel is zero.
  // CHECK: spmd.exchange %{{.*}} [2, 14, 9, 3] {{.*}} [0 + i*2 : 2, -1 + i*5 : 7, -1 + i*5 : 7, 0 + i*3 : 3]
  // CHECK: stablehlo.select
  // CHECK-NEXT: stablehlo.convolution({{.*}}pad = {{\[\[}}0, 0], [0, 0]]} {{.*}} : (tensor<2x7x7x3xf32>, tensor<2x5x5x4xf32>) -> tensor<3x3x3x4xf32>
  // CHECK-NEXT: spmd.all_reduce add {{.*}} {"x", "y"}
  %0 = stablehlo.convolution(%a, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#sum_xy]} : (tensor<2x14x9x3xf32>, tensor<2x14x9x4xf32>) -> tensor<3x3x3x4xf32>
  %1 = spmd.reshard %0 <@m, [{}, {}, {}, {}]> {spmd.shardings = [#all]} : tensor<3x3x3x4xf32>
  // Of a strided convolution.
  // CHECK: spmd.exchange %{{.*}} [2, 14, 9, 3] {{.*}} [0 + i*2 : 2, 0 + i*6 : 7, -1 + i*6 : 7, 0 + i*3 : 3]
  // CHECK: stablehlo.convolution({{.*}}rhs_dilate = [2, 2]} {{.*}} : (tensor<2x7x7x3xf32>, tensor<2x3x3x4xf32>) -> tensor<3x3x3x4xf32>
  %2 = stablehlo.convolution(%a, %e) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [1, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#sum_xy]} : (tensor<2x14x9x3xf32>, tensor<2x7x5x4xf32>) -> tensor<3x3x3x4xf32>
  %3 = spmd.reshard %2 <@m, [{}, {}, {}, {}]> {spmd.shardings = [#all]} : tensor<3x3x3x4xf32>
  // Blocks of the input and of the kernel begin at other places.
  // CHECK: spmd.exchange %{{.*}} [2, 14, 9, 3] {{.*}} [0 + i*2 : 2, 0 + i*4 : 6, 0 + i*9 : 9, 0 + i*3 : 3]
  %r2 = spmd.reshard %a <@m, [{}, {"y"}, {}, {}]> {spmd.shardings = [#y]} : tensor<2x14x9x3xf32>
  %4 = stablehlo.convolution(%r2, %f) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#sum_y]} : (tensor<2x14x9x3xf32>, tensor<2x12x7x4xf32>) -> tensor<3x3x3x4xf32>
  %5 = spmd.reshard %4 <@m, [{}, {}, {}, {}]> {spmd.shardings = [#all]} : tensor<3x3x3x4xf32>
  // Reversed, the first block has the last positions.
  // CHECK: spmd.exchange %{{.*}} [2, 14, 9, 3] {{.*}} [0 + i*2 : 2, 6 + i*-5 : 9, 3 + i*-5 : 7, 0 + i*3 : 3]
  // CHECK: stablehlo.convolution({{.*}}stride = [2, 1]{{.*}}reverse = [true, true]} {{.*}} : (tensor<2x9x7x3xf32>, tensor<2x5x5x4xf32>) -> tensor<3x3x3x4xf32>
  %6 = stablehlo.convolution(%a, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [2, 1], pad = [[3, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, spmd.shardings = [#sum_xy]} : (tensor<2x14x9x3xf32>, tensor<2x14x9x4xf32>) -> tensor<3x3x3x4xf32>
  %7 = spmd.reshard %6 <@m, [{}, {}, {}, {}]> {spmd.shardings = [#all]} : tensor<3x3x3x4xf32>
  return %1, %3, %5, %7 : tensor<3x3x3x4xf32>, tensor<3x3x3x4xf32>, tensor<3x3x3x4xf32>, tensor<3x3x3x4xf32>
}
