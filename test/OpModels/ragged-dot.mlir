// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

// The ragged dimension sharded in each of its roles: the device's rows of each
// group are counted anew, nothing is gathered but the group sizes.

sdy.mesh @m = <["x"=2, "y"=3]>

// RULE: chlo.ragged_dot: ([i, k],[l, k, j],[l])->([i, j])
// RULE: chlo.ragged_dot: ([k, i],[k, j],[l])->([l, i, j])
// RULE: chlo.ragged_dot: ([i, j, l],[i, l, k],[m])->([i, j, k])
func.func @main(%a: tensor<11x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}, %b: tensor<3x5x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}, %c: tensor<11x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, %d: tensor<11x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}, %e: tensor<11x2x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}, {"x"}]>}, %f: tensor<11x5x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}, {}]>}, %n: tensor<3xi32>) -> (tensor<11x4xf32>, tensor<3x5x4xf32>, tensor<11x2x4xf32>) {
  // Any integers as sizes between 0 and 3.
  %c3 = stablehlo.constant dense<3> : tensor<3xi32>
  %sizes = stablehlo.and %n, %c3 : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x4xf32>, tensor<3xi32>) -> tensor<11x4xf32>
  %1 = "chlo.ragged_dot"(%c, %d, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<11x5xf32>, tensor<11x4xf32>, tensor<3xi32>) -> tensor<3x5x4xf32>
  %2 = "chlo.ragged_dot"(%e, %f, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<11x2x5xf32>, tensor<11x5x4xf32>, tensor<3xi32>) -> tensor<11x2x4xf32>
  return %0, %1, %2 : tensor<11x4xf32>, tensor<3x5x4xf32>, tensor<11x2x4xf32>
}
