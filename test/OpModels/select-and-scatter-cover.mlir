// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"x"=2/"x"=3/' %s | partita-run - --partita=uneven-io=pad --compare=exact
// RUN: sed 's/compare GE/compare LE/' %s | partita-run - --partita=uneven-io=pad --compare=unsharded --engine=jit --no-cache

// Blocks of six do not begin at windows every five: what windows from 0 and from 5 on
// scatter to ten elements covers them.

spmd.mesh @m = <["x"=2]>
#x = #spmd.sharding<@m, [{"x"}, {}]>
#scalar = #spmd.sharding<@m, []>

// CHECK-LABEL: func.func @main
// CHECK-NOT: spmd.all_gather
// CHECK: spmd.exchange %{{.*}} [12, 4] {{.*}} [0 + i*5 : 13, 0 + i*4 : 4]
// CHECK: spmd.exchange %{{.*}} [2, 4] {{.*}} [0 + i*1 : 3, 0 + i*4 : 4]
// CHECK: "stablehlo.select_and_scatter"
// CHECK: stablehlo.dynamic_slice {{.*}} sizes = [6, 4] : (tensor<13x4xf32>
func.func @main(%b: tensor<12x4xf32> {spmd.sharding = #x}, %w: tensor<2x4xf32> {spmd.sharding = #x}, %i: tensor<f32> {spmd.sharding = #scalar}) -> (tensor<12x4xf32> {spmd.sharding = #x}) {
  %0 = "stablehlo.select_and_scatter"(%b, %w, %i) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 5, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {spmd.shardings = [#x]} : (tensor<12x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  return %0 : tensor<12x4xf32>
}
