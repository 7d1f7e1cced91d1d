// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Carries and results of control flow are local; the bodies are partitioned in place.
// optimization_barrier keeps each operand beside its result.

spmd.mesh @m = <["x"=2, "y"=3]>
#s = #spmd.sharding<@m, []>
#x_y = #spmd.sharding<@m, [{"x"}, {"y"}]>

func.func @main(%n: tensor<i32> {spmd.sharding = #s}, %v: tensor<5x6xf32> {spmd.sharding = #x_y}) -> (tensor<i32> {spmd.sharding = #s}, tensor<5x6xf32> {spmd.sharding = #x_y}) {
  %w:2 = stablehlo.while(%i = %n, %x = %v) : tensor<i32>, tensor<5x6xf32> attributes {spmd.shardings = [#s, #x_y]}
  cond {
    %c = stablehlo.constant {spmd.shardings = [#s]} dense<12> : tensor<i32>
    %l = stablehlo.compare LT, %i, %c, SIGNED {spmd.shardings = [#s]} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %c = stablehlo.constant {spmd.shardings = [#s]} dense<1> : tensor<i32>
    %j = stablehlo.add %i, %c {spmd.shardings = [#s]} : tensor<i32>
    %y = stablehlo.add %x, %v {spmd.shardings = [#x_y]} : tensor<5x6xf32>
    stablehlo.return %j, %y : tensor<i32>, tensor<5x6xf32>
  }
  %c = "stablehlo.case"(%n) ({
    %d = stablehlo.multiply %w#1, %v {spmd.shardings = [#x_y]} : tensor<5x6xf32>
    stablehlo.return %d : tensor<5x6xf32>
  }, {
    stablehlo.return %v : tensor<5x6xf32>
  }) {spmd.shardings = [#x_y]} : (tensor<i32>) -> tensor<5x6xf32>
  %b:2 = stablehlo.optimization_barrier {spmd.shardings = [#s, #x_y]} %w#0, %c : tensor<i32>, tensor<5x6xf32>
  return %b#0, %b#1 : tensor<i32>, tensor<5x6xf32>
}

// RULE: stablehlo.while: ([],[])->([],[]) {}
// RULE: stablehlo.compare: ([],[])->([]) {}
// RULE: stablehlo.add: ([],[])->([]) {}
// RULE: stablehlo.add: ([i, j],[i, j])->([i, j]) {i=5, j=6}
// RULE: stablehlo.case: ([])->([]) {}
// RULE: stablehlo.multiply: ([i, j],[i, j])->([i, j]) {i=5, j=6}
// RULE: stablehlo.optimization_barrier: ([],[i, j])->([],[i, j]) {i=5, j=6}
//
// PART: stablehlo.while({{%.*}} = {{%.*}} = {{%.*}}) : tensor<i32>, tensor<3x2xf32>
// PART: stablehlo.constant dense<12> : tensor<i32>
// PART: stablehlo.compare LT, {{%.*}}SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
// PART: stablehlo.return {{%.*}} : tensor<i1>
// PART: stablehlo.constant dense<1> : tensor<i32>
// PART: stablehlo.add {{%.*}} : tensor<i32>
// PART: stablehlo.add {{%.*}} : tensor<3x2xf32>
// PART: stablehlo.return {{%.*}} : tensor<i32>, tensor<3x2xf32>
// PART: "stablehlo.case"({{%.*}}) ({
// PART: stablehlo.multiply {{%.*}} : tensor<3x2xf32>
// PART: stablehlo.return {{%.*}} : tensor<3x2xf32>
// PART: stablehlo.return {{%.*}} : tensor<3x2xf32>
// PART: stablehlo.optimization_barrier {{%.*}} : tensor<i32>, tensor<3x2xf32>
