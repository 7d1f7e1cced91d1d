// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s
// RUN: partita-opt %s --spmd-partition --remarks-filter=partition -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: sed 's/"x"=3/"x"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --no-cache --compare=unsharded

// A dilated operand is fetched as one without holes; the holes hold the init. Blocks
// that begin at different phases of the dilation are covered by longer intervals.

spmd.mesh @m = <["x"=3, "y"=2]>
#x = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<6x4xf32> {spmd.sharding = #x}, %b: tensor<7x4xf32> {spmd.sharding = #x}, %i: tensor<f32> {spmd.sharding = #s})
    -> (tensor<12x4xf32> {spmd.sharding = #x}, tensor<15x4xf32> {spmd.sharding = #x}, tensor<15x4xf32> {spmd.sharding = #x}, tensor<3x4xf32> {spmd.sharding = #x}) {
  // CHECK: spmd.exchange %{{.*}} [6, 4] {{.*}} [-1 + i*2 : 4, 0 + i*2 : 2]
  // CHECK: "stablehlo.reduce_window"{{.*}}base_dilations = array<i64: 2, 1>
  // CHECK: (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#x]} : (tensor<6x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  // Blocks of five in intervals of eight; two inputs are read alike.
  // CHECK: spmd.exchange %{{.*}} [7, 4] {{.*}} [-1 + i*2 : 5, 0 + i*2 : 2]
  // CHECK: "stablehlo.reduce_window"
  // CHECK: -> (tensor<8x2xf32>, tensor<8x2xf32>)
  // CHECK-COUNT-2: stablehlo.dynamic_slice {{.*}} sizes = [5, 2] : (tensor<8x2xf32>
  %1:2 = "stablehlo.reduce_window"(%b, %b, %i, %i) <{window_dimensions = array<i64: 3, 1>, base_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %u: tensor<f32>, %q: tensor<f32>, %v: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    %t = stablehlo.add %u, %v : tensor<f32>
    stablehlo.return %s, %t : tensor<f32>, tensor<f32>
  }) {spmd.shardings = [#x, #x]} : (tensor<7x4xf32>, tensor<7x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<15x4xf32>, tensor<15x4xf32>)
  // Blocks of one element are covered by the dimension alone.
  // WHOLE: stablehlo.reduce_window: computed whole on each device, 112 bytes, because intervals at one phase of the dilation
  // CHECK: spmd.all_gather
  // CHECK: "stablehlo.reduce_window"
  // CHECK: (tensor<7x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  // CHECK: spmd.all_slice
  %2 = "stablehlo.reduce_window"(%b, %i) <{window_dimensions = array<i64: 3, 1>, base_dilations = array<i64: 3, 1>, padding = dense<[[-8, -6], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#x]} : (tensor<7x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0, %1#0, %1#1, %2 : tensor<12x4xf32>, tensor<15x4xf32>, tensor<15x4xf32>, tensor<3x4xf32>
}
