// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// A body that is no single kind folds twice: each device its block, whose padding is the
// init, then the gathered partial results.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>
#x = #spmd.sharding<@m, [{"x"}]>
#s = #spmd.sharding<@m, []>

func.func @main(%a: tensor<4x7xf32> {spmd.sharding = #x_y}) -> (tensor<4xf32> {spmd.sharding = #x}, tensor<4xi32> {spmd.sharding = #x}) {
  %i = stablehlo.iota dim = 1 {spmd.shardings = [#x_y]} : tensor<4x7xi32>
  %m = stablehlo.constant {spmd.shardings = [#s]} dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant {spmd.shardings = [#s]} dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [1] {spmd.shardings = [#x, #x]} : (tensor<4x7xf32>, tensor<4x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
      %c0 = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c1 = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c2 = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c3 = stablehlo.and %c1, %c2 : tensor<i1>
      %c4 = stablehlo.or %c0, %c3 : tensor<i1>
      %u = stablehlo.select %c0, %p, %q : tensor<i1>, tensor<f32>
      %v = stablehlo.select %c4, %s, %t : tensor<i1>, tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

// RULE: stablehlo.iota: ()->([i, j]) {i=4, j=7}
// RULE: stablehlo.reduce: ([i, j],[i, j],[],[])->([i],[i]) {i=4, j=7 reduction}
//
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
// PART: spmd.all_gather {{%.*}} [{"y"}, {}] on @m : (tensor<1x2xf32>, tensor<1x2xi32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
// PART: stablehlo.reduce({{%.*}} init: {{%.*}}), ({{%.*}} init: {{%.*}}) across dimensions = [0] : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
