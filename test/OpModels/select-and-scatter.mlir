// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad objective=bytes" --remarks-filter="partition|placement" 2>&1 | FileCheck %s
// RUN: partita-run %s --partita="uneven-io=pad objective=bytes" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --compare=unsharded --engine=eval
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad objective=bytes" --compare=exact
// RUN: sed 's/compare GE/compare LE/' %s | partita-run - --partita="uneven-io=pad objective=bytes" --compare=exact

// A sharded window dimension fetches the sources of the windows that touch the
// device's block, and their elements: overlapping windows, gaps between windows,
// uneven blocks. Padded windows need their dimension whole.

sdy.mesh @m = <["x"=2, "y"=3]>
#x = #sdy.sharding<@m, [{"x"}, {"y"}]>
#y = #sdy.sharding<@m, [{"y"}, {}]>

// RULE: stablehlo.select_and_scatter: ([i, j],[i, j],[])->([i, j]) {i=8 halo, j=6}
// RULE: stablehlo.select_and_scatter: ([i, j],[i, j],[])->([i, j]) {i=12 halo, j=4}
// RULE: stablehlo.select_and_scatter: ([j, k],[i, k],[])->([j, k]) {i=5 replicated gathered, j=8 halo gathered, k=6}

// CHECK-NOT: computed whole
// CHECK-LABEL: func.func @main
// Non-overlapping windows whose blocks align send nothing.
// CHECK-NOT: spmd.exchange
// CHECK: }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
// CHECK: spmd.exchange
// CHECK: }) : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<6x4xf32>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #x}, %s: tensor<4x6xf32> {sdy.sharding = #x}, %b: tensor<12x4xf32> {sdy.sharding = #y}, %t: tensor<5x4xf32> {sdy.sharding = #y}, %u: tensor<3x4xf32> {sdy.sharding = #y}, %v: tensor<5x6xf32> {sdy.sharding = #x}, %w: tensor<2x4xf32>, %i: tensor<f32>) -> (tensor<8x6xf32> {sdy.sharding = #x}, tensor<12x4xf32> {sdy.sharding = #y}, tensor<12x4xf32> {sdy.sharding = #y}, tensor<8x6xf32> {sdy.sharding = #x}, tensor<12x4xf32> {sdy.sharding = #y}) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  // Overlapping by two.
  %1 = "stablehlo.select_and_scatter"(%b, %t, %i) <{window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<12x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  // Gaps, and a tail in no window.
  %2 = "stablehlo.select_and_scatter"(%b, %u, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<12x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  %3 = "stablehlo.select_and_scatter"(%a, %v, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<5x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  %4 = "stablehlo.select_and_scatter"(%b, %w, %i) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 5, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<12x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  return %0, %1, %2, %3, %4 : tensor<8x6xf32>, tensor<12x4xf32>, tensor<12x4xf32>, tensor<8x6xf32>, tensor<12x4xf32>
}
