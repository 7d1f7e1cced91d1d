// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Windows fetch what they read; outside the operand stands the init. A running sum is a
// scan: local sums, then the totals of the shards before.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>

func.func @main(%a: tensor<7x6xf32> {spmd.sharding = #x_y}, %i: tensor<f32> {spmd.sharding = #s}) -> (tensor<7x6xf32> {spmd.sharding = #x_y}, tensor<7x6xf32> {spmd.sharding = #x_y}, tensor<7x3xf32> {spmd.sharding = #x_n}) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#x_y]} : (tensor<7x6xf32>, tensor<f32>) -> tensor<7x6xf32>
  %z = stablehlo.constant {spmd.shardings = [#s]} dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 7, 1>, padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#x_y]} : (tensor<7x6xf32>, tensor<f32>) -> tensor<7x6xf32>
  %2 = spmd.reshard %a <@m, [{"x"}, {}]> {spmd.shardings = [#x_n]} : tensor<7x6xf32>
  %3 = "stablehlo.reduce_window"(%2, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#x_n]} : (tensor<7x6xf32>, tensor<f32>) -> tensor<7x3xf32>
  return %0, %1, %3 : tensor<7x6xf32>, tensor<7x6xf32>, tensor<7x3xf32>
}

// RULE: stablehlo.reduce_window: ([i, j],[])->([i, j]) {i=7 halo, j=6}
// RULE: stablehlo.reduce_window: ([i, j],[])->([i, j]) {i=7 scan, j=6}
// RULE: stablehlo.reduce_window: ([i, j],[])->([i, j]) {i=7, j=3 halo}
//
// PART: spmd.exchange {{%.*}} [7, 6] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [-1 + i*4 : 6, 0 + i*2 : 2] : (tensor<4x2xf32>) -> tensor<6x2xf32>
// PART: "stablehlo.reduce_window"({{%.*}}) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
// PART: "stablehlo.reduce_window"({{%.*}}) <{padding = dense<{{\[\[}}3, 0], [0, 0{{\]\]}}> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
// PART: spmd.all_gather {{%.*}} [{"x"}, {}] on @m : (tensor<1x2xf32>) -> tensor<2x2xf32>
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
// PART: spmd.all_gather {{%.*}} [{}, {"y"}] on @m : (tensor<4x2xf32>) -> tensor<4x6xf32>
// PART: "stablehlo.reduce_window"({{%.*}}) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
