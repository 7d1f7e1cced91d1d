// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The kind of a reduction is that of its body: partial results are maxima here. Padding is
// neutral; an init that is not enters on the first device only.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#y = #spmd.sharding<@m, [{"y"}]>
#y_uxmax = #spmd.sharding<@m, [{"y"}], unreduced=[max]{"x"}>

func.func @main(%a: tensor<5x7xf32> {spmd.sharding = #x_y}, %i: tensor<f32> {spmd.sharding = #s}) -> (tensor<7xf32> {spmd.sharding = #y}) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0] {spmd.shardings = [#y_uxmax]} : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = spmd.reshard %0 <@m, [{"y"}]> {spmd.shardings = [#y]} : tensor<7xf32>
  return %1 : tensor<7xf32>
}

// RULE: stablehlo.reduce: ([i, j],[])->([j]) {i=5 max, j=7}
//
// PART: stablehlo.constant dense<0xFF800000> : tensor<f32>
// PART: stablehlo.constant dense<3> : tensor<i32>
// PART: stablehlo.constant dense<5> : tensor<i32>
// PART: stablehlo.select {{%.*}} : tensor<3x3xi1>, tensor<3x3xf32>
// PART: stablehlo.constant dense<0> : tensor<i32>
// PART: stablehlo.select {{%.*}} : tensor<i1>, tensor<f32>
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}) applies stablehlo.maximum across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
// PART: spmd.all_reduce max {{%.*}} {"x"} on @m : (tensor<3xf32>) -> tensor<3xf32>
