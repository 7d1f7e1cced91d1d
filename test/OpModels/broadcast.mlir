// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// New dimensions are factors of the result alone. A dimension of size one that is
// expanded has a factor of its own and must be whole. broadcast's sizes become local.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#y = #spmd.sharding<@m, [{"y"}]>
#x_y_n = #spmd.sharding<@m, [{"x"}, {"y"}, {}]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>

func.func @main(%a: tensor<5x1xf32> {spmd.sharding = #x_n}, %b: tensor<6xf32> {spmd.sharding = #y}) -> (tensor<5x6x4xf32> {spmd.sharding = #x_y_n}, tensor<4x6xf32> {spmd.sharding = #x_y}) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] {spmd.shardings = [#x_y_n]} : (tensor<5x1xf32>) -> tensor<5x6x4xf32>
  %1 = stablehlo.broadcast %b, sizes = [4] {spmd.shardings = [#x_y]} : (tensor<6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<5x6x4xf32>, tensor<4x6xf32>
}

// RULE: stablehlo.broadcast_in_dim: ([i, j])->([i, k, l]) {i=5, j=1 replicated gathered, k=6, l=4}
// RULE: stablehlo.broadcast: ([j])->([i, j]) {i=4, j=6}
//
// PART: stablehlo.broadcast_in_dim {{%.*}}dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2x4xf32>
// PART: stablehlo.broadcast {{%.*}}sizes = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
