// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Where the init may count, elements carry a flag that says whether they do and the init
// enters once, at the end.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#s = #spmd.sharding<@m, []>
#x = #spmd.sharding<@m, [{"x"}]>

func.func @main(%a: tensor<4x7xf32> {spmd.sharding = #x_y}, %b: tensor<4x7xf32> {spmd.sharding = #x_y}, %i: tensor<f32> {spmd.sharding = #s}, %j: tensor<f32> {spmd.sharding = #s}) -> (tensor<4xf32> {spmd.sharding = #x}, tensor<4xf32> {spmd.sharding = #x}) {
  %r:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [1] {spmd.shardings = [#x, #x]} : (tensor<4x7xf32>, tensor<4x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<f32>, %t: tensor<f32>) {
      %u = stablehlo.add %p, %q : tensor<f32>
      %v = stablehlo.multiply %s, %t : tensor<f32>
      stablehlo.return %u, %v : tensor<f32>, tensor<f32>
    }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// RULE: stablehlo.reduce: ([i, j],[i, j],[],[])->([i],[i]) {i=4, j=7 reduction}
//
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>)
// PART: spmd.all_gather {{%.*}} [{"y"}, {}] on @m : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xi1>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xi1>)
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}) across dimensions = [0] : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xi1>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>)
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}) across dimensions = [0] : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
