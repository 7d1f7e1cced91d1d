// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// A splat constant is a smaller splat; any other is sliced; iota adds the offset of
// the block where its dimension is sharded.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#y_n = #spmd.sharding<@m, [{"y"}, {}]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>

func.func @main() -> (tensor<5x6xf32> {spmd.sharding = #x_y}, tensor<3x2xi32> {spmd.sharding = #y_n}, tensor<7x5xi32> {spmd.sharding = #x_n}, tensor<7x5xf32> {spmd.sharding = #x_n}) {
  %0 = stablehlo.constant {spmd.shardings = [#x_y]} dense<2.5> : tensor<5x6xf32>
  %1 = stablehlo.constant {spmd.shardings = [#y_n]} dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %2 = stablehlo.iota dim = 1 {spmd.shardings = [#x_n]} : tensor<7x5xi32>
  %3 = stablehlo.iota dim = 0 {spmd.shardings = [#x_n]} : tensor<7x5xf32>
  return %0, %1, %2, %3 : tensor<5x6xf32>, tensor<3x2xi32>, tensor<7x5xi32>, tensor<7x5xf32>
}

// RULE: stablehlo.constant: ()->([i, j]) {i=5, j=6}
// RULE: stablehlo.constant: ()->([i, j]) {i=3, j=2}
// RULE: stablehlo.iota: ()->([i, j]) {i=7, j=5}
//
// PART: stablehlo.constant dense<2.500000e+00> : tensor<3x2xf32>
// PART: stablehlo.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6{{\]\]}}> : tensor<3x2xi32>
// PART: spmd.all_slice {{%.*}} [{"y"}, {}] on @m : (tensor<3x2xi32>) -> tensor<1x2xi32>
// PART: stablehlo.iota dim = 1 : tensor<4x5xi32>
// PART: spmd.axis_index {"x"} on @m : tensor<i32>
// PART: stablehlo.constant dense<4> : tensor<i32>
// PART: stablehlo.multiply {{%.*}} : tensor<i32>
// PART: stablehlo.iota dim = 0 : tensor<4x5xi32>
// PART: stablehlo.broadcast_in_dim {{%.*}}dims = [] : (tensor<i32>) -> tensor<4x5xi32>
// PART: stablehlo.add {{%.*}} : tensor<4x5xi32>
// PART: stablehlo.convert {{%.*}} : (tensor<4x5xi32>) -> tensor<4x5xf32>
