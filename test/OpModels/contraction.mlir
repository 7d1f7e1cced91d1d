// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Contracted dimensions are sums: the device multiplies its blocks, with zeros in the
// padding of both operands, and the result is partial.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n_y = #spmd.sharding<@m, [{"x"}, {}, {"y"}]>
#x_y_n = #spmd.sharding<@m, [{"x"}, {"y"}, {}]>
#y = #spmd.sharding<@m, [{"y"}]>
#y_x = #spmd.sharding<@m, [{"y"}, {"x"}]>
#x_n_n = #spmd.sharding<@m, [{"x"}, {}, {}]>
#x = #spmd.sharding<@m, [{"x"}]>
#x_uy = #spmd.sharding<@m, [{"x"}], unreduced={"y"}>

func.func @main(%a: tensor<4x5x7xf32> {spmd.sharding = #x_n_y}, %b: tensor<4x7x6xf32> {spmd.sharding = #x_y_n}, %v: tensor<7xf32> {spmd.sharding = #y}, %w: tensor<7x4xf32> {spmd.sharding = #y_x})
    -> (tensor<4x5x6xf32> {spmd.sharding = #x_n_n}, tensor<4xf32> {spmd.sharding = #x}) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}, {}], unreduced={"y"}>]} : (tensor<4x5x7xf32>, tensor<4x7x6xf32>) -> tensor<4x5x6xf32>
  %1 = spmd.reshard %0 <@m, [{"x"}, {}, {}]> {spmd.shardings = [#x_n_n]} : tensor<4x5x6xf32>
  %2 = stablehlo.dot %v, %w {spmd.shardings = [#x_uy]} : (tensor<7xf32>, tensor<7x4xf32>) -> tensor<4xf32>
  %3 = spmd.reshard %2 <@m, [{"x"}]> {spmd.shardings = [#x]} : tensor<4xf32>
  return %1, %3 : tensor<4x5x6xf32>, tensor<4xf32>
}

// RULE: stablehlo.dot_general: ([i, j, l],[i, l, k])->([i, j, k]) {i=4, j=5, k=6, l=7 add}
// RULE: stablehlo.dot: ([j],[j, i])->([i]) {i=4, j=7 add}
//
// PART: stablehlo.select {{%.*}} : tensor<2x5x3xi1>, tensor<2x5x3xf32>
// PART: stablehlo.select {{%.*}} : tensor<2x3x6xi1>, tensor<2x3x6xf32>
// PART: stablehlo.dot_general {{%.*}}batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x3xf32>, tensor<2x3x6xf32>) -> tensor<2x5x6xf32>
// PART: spmd.all_reduce add {{%.*}} {"y"} on @m : (tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
// PART: stablehlo.select {{%.*}} : tensor<3xi1>, tensor<3xf32>
// PART: stablehlo.select {{%.*}} : tensor<3x2xi1>, tensor<3x2xf32>
// PART: stablehlo.dot {{%.*}} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
// PART: spmd.all_reduce add {{%.*}} {"y"} on @m : (tensor<2xf32>) -> tensor<2xf32>
