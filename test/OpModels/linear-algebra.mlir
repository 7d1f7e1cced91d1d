// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Batches are parallel and, in triangular_solve, the systems; matrices are whole.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n_n = #spmd.sharding<@m, [{"x"}, {}, {}]>
#x_n_y = #spmd.sharding<@m, [{"x"}, {}, {"y"}]>

func.func @main(%a: tensor<4x3x3xf32> {spmd.sharding = #x_n_n}, %b: tensor<4x3x5xf32> {spmd.sharding = #x_n_y}) -> (tensor<4x3x3xf32> {spmd.sharding = #x_n_n}, tensor<4x3x5xf32> {spmd.sharding = #x_n_y}) {
  %0 = stablehlo.cholesky %a, lower = true {spmd.shardings = [#x_n_n]} : tensor<4x3x3xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> {spmd.shardings = [#x_n_y]} : (tensor<4x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %0, %1 : tensor<4x3x3xf32>, tensor<4x3x5xf32>
}

// RULE: stablehlo.cholesky: ([i, j, k])->([i, j, k]) {i=4, j=3 replicated gathered, k=3 replicated gathered}
// RULE: stablehlo.triangular_solve: ([i, j, l],[i, j, k])->([i, l, k]) {i=4, j=3 replicated gathered, k=5, l=3 replicated gathered}
//
// PART: stablehlo.cholesky {{%.*}}lower = true : tensor<2x3x3xf32>
// PART: "stablehlo.triangular_solve"({{%.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
