// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Start indices are clamped by the whole extent. A sliced dimension is a sum over the
// operand's shards: the device gives what it owns between zeros.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#n_y = #spmd.sharding<@m, [{}, {"y"}]>
#n_y_ux = #spmd.sharding<@m, [{}, {"y"}], unreduced={"x"}>

func.func @main(%a: tensor<7x6xf32> {spmd.sharding = #x_y}, %i: tensor<i32> {spmd.sharding = #s}) -> (tensor<1x6xf32> {spmd.sharding = #n_y}, tensor<3x6xf32> {spmd.sharding = #n_y}) {
  %z = stablehlo.constant {spmd.shardings = [#s]} dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 6] {spmd.shardings = [#n_y_ux]} : (tensor<7x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
  %1 = spmd.reshard %0 <@m, [{}, {"y"}]> {spmd.shardings = [#n_y]} : tensor<1x6xf32>
  %2 = stablehlo.dynamic_slice %a, %i, %z, sizes = [3, 6] {spmd.shardings = [#n_y_ux]} : (tensor<7x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x6xf32>
  %3 = spmd.reshard %2 <@m, [{}, {"y"}]> {spmd.shardings = [#n_y]} : tensor<3x6xf32>
  return %1, %3 : tensor<1x6xf32>, tensor<3x6xf32>
}

// RULE: stablehlo.dynamic_slice: ([i, k],[],[])->([j, k]) {i=7 add direction=none, j=1 replicated direction=none gathered, k=6}
// RULE: stablehlo.dynamic_slice: ([i, k],[],[])->([j, k]) {i=7 add direction=none, j=3 replicated direction=none gathered, k=6}
//
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
// PART: stablehlo.select {{%.*}} : tensor<i1>, tensor<1x2xf32>
// PART: spmd.all_reduce add {{%.*}} {"x"} on @m : (tensor<1x2xf32>) -> tensor<1x2xf32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [3, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
// PART: stablehlo.pad {{%.*}}low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<9x2xf32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [3, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
// PART: spmd.all_reduce add {{%.*}} {"x"} on @m : (tensor<3x2xf32>) -> tensor<3x2xf32>
