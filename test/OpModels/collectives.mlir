// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The user's collectives over the manual axis x. The free axis y shards the dimensions
// that they leave alone.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#n_y = #spmd.sharding<@m, [{}, {"y"}]>
#s = #spmd.sharding<@m, []>

func.func @main(%a: tensor<4x6xf32> {spmd.sharding = #x_y}) -> (tensor<4x6xf32> {spmd.sharding = #x_y}, tensor<4x6xf32> {spmd.sharding = #x_y}) {
  %0:2 = spmd.manual (%a) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>, <@m, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<2x6xf32>) {
    %s = spmd.all_reduce add %b {"x"} on @m {spmd.shardings = [#n_y]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %g = spmd.all_gather %s [{"x"}, {}] on @m {spmd.shardings = [#n_y]} : (tensor<2x6xf32>) -> tensor<4x6xf32>
    %r = spmd.reduce_scatter add %g [{"x"}, {}] on @m {spmd.shardings = [#n_y]} : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %p = spmd.permute %b {"x"} shift = [1] wrap on @m {spmd.shardings = [#n_y]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %i = spmd.axis_index {"x"} on @m {spmd.shardings = [#s]} : tensor<i32>
    spmd.return %r, %p : tensor<2x6xf32>, tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// RULE: spmd.manual: no model
// RULE: spmd.all_reduce: ([i, j])->([i, j]) {i=2, j=6}
// RULE: spmd.all_gather: ([j, i])->([k, i]) {i=6, j=2 replicated gathered, k=4 replicated gathered}
// RULE: spmd.reduce_scatter: ([j, i])->([k, i]) {i=6, j=4 replicated gathered, k=2 replicated gathered}
// RULE: spmd.permute: ([i, j])->([i, j]) {i=2, j=6}
// RULE: spmd.axis_index: ()->([]) {}
//
// PART: spmd.all_reduce add {{%.*}} {"x"} on @m : (tensor<2x2xf32>) -> tensor<2x2xf32>
// PART: spmd.all_gather {{%.*}} [{"x"}, {}] on @m : (tensor<2x2xf32>) -> tensor<4x2xf32>
// PART: spmd.reduce_scatter add {{%.*}} [{"x"}, {}] on @m : (tensor<4x2xf32>) -> tensor<2x2xf32>
// PART: spmd.permute {{%.*}} {"x"} shift = [1] wrap on @m : (tensor<2x2xf32>) -> tensor<2x2xf32>
