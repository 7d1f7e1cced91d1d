// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Elementwise ops, and select and clamp with scalar operands: every tensor has the
// factors of the result, scalars have none. 5 rows over 2 shards: blocks of 3.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>

func.func @main(%a: tensor<5x6xf32> {spmd.sharding = #x_y}, %b: tensor<5x6xf32> {spmd.sharding = #x_y}, %p: tensor<i1> {spmd.sharding = #s}, %lo: tensor<f32> {spmd.sharding = #s}, %hi: tensor<f32> {spmd.sharding = #s})
    -> (tensor<5x6xf32> {spmd.sharding = #x_y}, tensor<5x6xi32> {spmd.sharding = #x_y}) {
  %0 = stablehlo.add %a, %b {spmd.shardings = [#x_y]} : tensor<5x6xf32>
  %1 = stablehlo.select %p, %0, %a {spmd.shardings = [#x_y]} : tensor<i1>, tensor<5x6xf32>
  %2 = stablehlo.clamp %lo, %1, %hi {spmd.shardings = [#x_y]} : (tensor<f32>, tensor<5x6xf32>, tensor<f32>) -> tensor<5x6xf32>
  %3 = chlo.square %2 {spmd.shardings = [#x_y]} : tensor<5x6xf32> -> tensor<5x6xf32>
  %4 = stablehlo.convert %3 {spmd.shardings = [#x_y]} : (tensor<5x6xf32>) -> tensor<5x6xi32>
  return %2, %4 : tensor<5x6xf32>, tensor<5x6xi32>
}

// RULE: stablehlo.add: ([i, j],[i, j])->([i, j]) {i=5, j=6}
// RULE: stablehlo.select: ([],[i, j],[i, j])->([i, j]) {i=5, j=6}
// RULE: stablehlo.clamp: ([],[i, j],[])->([i, j]) {i=5, j=6}
// RULE: chlo.square: ([i, j])->([i, j]) {i=5, j=6}
// RULE: stablehlo.convert: ([i, j])->([i, j]) {i=5, j=6}
//
// PART: stablehlo.add {{%.*}} : tensor<3x2xf32>
// PART: stablehlo.select {{%.*}} : tensor<i1>, tensor<3x2xf32>
// PART: stablehlo.clamp {{%.*}} : (tensor<f32>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
// PART: chlo.square {{%.*}} : tensor<3x2xf32> -> tensor<3x2xf32>
// PART: stablehlo.convert {{%.*}} : (tensor<3x2xf32>) -> tensor<3x2xi32>
