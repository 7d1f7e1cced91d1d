// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Operand and result stay sharded: the device writes the part of the update that falls
// into its block. Nothing is sent.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#n_y = #spmd.sharding<@m, [{}, {"y"}]>

func.func @main(%a: tensor<7x6xf32> {spmd.sharding = #x_y}, %i: tensor<i64> {spmd.sharding = #s}, %u: tensor<1x6xf32> {spmd.sharding = #n_y}, %w: tensor<3x6xf32> {spmd.sharding = #n_y})
    -> (tensor<7x6xf32> {spmd.sharding = #x_y}, tensor<7x6xf32> {spmd.sharding = #x_y}) {
  %z = stablehlo.constant {spmd.shardings = [#s]} dense<0> : tensor<i64>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z {spmd.shardings = [#x_y]} : (tensor<7x6xf32>, tensor<1x6xf32>, tensor<i64>, tensor<i64>) -> tensor<7x6xf32>
  %1 = stablehlo.dynamic_update_slice %a, %w, %i, %z {spmd.shardings = [#x_y]} : (tensor<7x6xf32>, tensor<3x6xf32>, tensor<i64>, tensor<i64>) -> tensor<7x6xf32>
  return %0, %1 : tensor<7x6xf32>, tensor<7x6xf32>
}

// RULE: stablehlo.dynamic_update_slice: ([i, k],[j, k],[],[])->([i, k]) {i=7 indexed, j=1 replicated gathered, k=6}
// RULE: stablehlo.dynamic_update_slice: ([i, k],[j, k],[],[])->([i, k]) {i=7 indexed, j=3 replicated gathered, k=6}
//
// PART: stablehlo.clamp {{%.*}} : tensor<i64>
// PART: spmd.axis_index {"x"} on @m : tensor<i32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
// PART: stablehlo.select {{%.*}} : tensor<i1>, tensor<1x2xf32>
// PART: stablehlo.dynamic_update_slice {{%.*}} : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
// PART: stablehlo.clamp {{%.*}} : tensor<i64>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.clamp {{%.*}} : tensor<i32>
// PART: stablehlo.pad {{%.*}}low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<9x2xf32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [3, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
// PART: stablehlo.dynamic_slice {{%.*}}sizes = [3, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
// PART: stablehlo.select {{%.*}} : tensor<3x2xi1>, tensor<3x2xf32>
// PART: stablehlo.dynamic_update_slice {{%.*}} : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
