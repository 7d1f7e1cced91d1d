// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// transpose and bitcast_convert move whole dimensions; reshape has the common factors of
// both shapes, and a factor of one side alone is whole.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#xy = #spmd.sharding<@m, [{"x", "y"}]>
#y_x = #spmd.sharding<@m, [{"y"}, {"x"}]>
#x = #spmd.sharding<@m, [{"x"}]>
#xy_n = #spmd.sharding<@m, [{"x", "y"}, {}]>
#x_n_n = #spmd.sharding<@m, [{"x"}, {}, {}]>

func.func @main(%a: tensor<5x6xf32> {spmd.sharding = #x_y}, %b: tensor<4x6xf32> {spmd.sharding = #x_n}, %c: tensor<24xf32> {spmd.sharding = #xy}, %d: tensor<5x4xi32> {spmd.sharding = #x_n}, %e: tensor<6x4xf32> {spmd.sharding = #x_n}, %f: tensor<5x4xf32> {spmd.sharding = #x_n})
    -> (tensor<6x5xf32> {spmd.sharding = #y_x}, tensor<24xf32> {spmd.sharding = #x}, tensor<6x4xf32> {spmd.sharding = #xy_n}, tensor<5x4x2xi16> {spmd.sharding = #x_n_n}, tensor<4x6xf32> {spmd.sharding = #x_n}, tensor<5x2x2xf32> {spmd.sharding = #x_n_n}) {
  %0 = stablehlo.transpose %a, dims = [1, 0] {spmd.shardings = [#y_x]} : (tensor<5x6xf32>) -> tensor<6x5xf32>
  %1 = stablehlo.reshape %b {spmd.shardings = [#x]} : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = stablehlo.reshape %c {spmd.shardings = [#xy_n]} : (tensor<24xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.bitcast_convert %d {spmd.shardings = [#x_n_n]} : (tensor<5x4xi32>) -> tensor<5x4x2xi16>
  %4 = stablehlo.reshape %e {spmd.shardings = [#x_n]} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %5 = stablehlo.reshape %f {spmd.shardings = [#x_n_n]} : (tensor<5x4xf32>) -> tensor<5x2x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6x5xf32>, tensor<24xf32>, tensor<6x4xf32>, tensor<5x4x2xi16>, tensor<4x6xf32>, tensor<5x2x2xf32>
}

// RULE: stablehlo.transpose: ([j, i])->([i, j]) {i=6, j=5}
// RULE: stablehlo.reshape: ([i, j])->([ij]) {i=4, j=6}
// RULE: stablehlo.reshape: ([ij])->([i, j]) {i=6, j=4}
// RULE: stablehlo.bitcast_convert: ([i, j])->([i, j, k]) {i=5, j=4, k=2 replicated gathered}
// RULE: stablehlo.reshape: ([ij, mn])->([ik, ln]) {i=2, j=3 replicated gathered, k=2 replicated gathered, l=3 replicated gathered, m=2 replicated gathered, n=2}
// RULE: stablehlo.reshape: ([i, jk])->([i, j, k]) {i=5, j=2, k=2}
//
// PART: stablehlo.transpose {{%.*}}dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
// PART: stablehlo.reshape {{%.*}} : (tensor<2x6xf32>) -> tensor<12xf32>
// PART: stablehlo.reshape {{%.*}} : (tensor<4xf32>) -> tensor<1x4xf32>
// PART: stablehlo.bitcast_convert {{%.*}} : (tensor<3x4xi32>) -> tensor<3x4x2xi16>
// PART: stablehlo.reshape {{%.*}} : (tensor<3x4xf32>) -> tensor<2x6xf32>
// PART: stablehlo.reshape {{%.*}} : (tensor<3x4xf32>) -> tensor<3x2x2xf32>
