// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Window dimensions are whole, the others parallel.

spmd.mesh @m = <["x"=2, "y"=3]>
#n_y = #spmd.sharding<@m, [{}, {"y"}]>
#s = #spmd.sharding<@m, []>

func.func @main(%a: tensor<8x6xf32> {spmd.sharding = #n_y}, %s: tensor<4x6xf32> {spmd.sharding = #n_y}, %i: tensor<f32> {spmd.sharding = #s}) -> (tensor<8x6xf32> {spmd.sharding = #n_y}) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {spmd.shardings = [#n_y]} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// RULE: stablehlo.select_and_scatter: ([j, k],[i, k],[])->([j, k]) {i=4 replicated gathered, j=8 halo gathered, k=6}
//
// PART: }) : (tensor<8x2xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<8x2xf32>
// PART: return {{%.*}} : tensor<8x2xf32>
