// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART

// A user's rule says how an unknown call may be split; a factor that only one side has must
// be whole.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#n_x = #spmd.sharding<@m, [{}, {"x"}]>

func.func @main(%a: tensor<4x6xf32> {spmd.sharding = #x_n}) -> (tensor<6x4xf32> {spmd.sharding = #n_x}) {
  %0 = stablehlo.custom_call @mine(%a) {spmd.sharding_rule = {factor_sizes = array<i64: 4, 6, 6>, operands = [[array<i64: 0>, array<i64: 1>]], results = [[array<i64: 2>, array<i64: 0>]], reduction = array<i64>, need_replication = array<i64>, permutation = array<i64>, blocked_propagation = array<i64>, custom}, spmd.shardings = [#n_x]} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// RULE: stablehlo.custom_call: ([i, j])->([k, i]) {i=4, j=6 gathered, k=6 gathered}
//
// PART: stablehlo.custom_call @mine({{%.*}}) {spmd.sharding_rule = {blocked_propagation = array<i64>, custom, factor_sizes = array<i64: 4, 6, 6>, need_replication = array<i64>, operands = {{\[\[}}array<i64: 0>, array<i64: 1>{{\]\]}}, permutation = array<i64>, reduction = array<i64>, results = {{\[\[}}array<i64: 2>, array<i64: 0>{{\]\]}}}} : (tensor<2x6xf32>) -> tensor<6x2xf32>
