// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// The sorted dimension is whole, the others are parallel. top_k takes candidates
// of a sharded dimension (top-k.mlir).

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>

func.func @main(%a: tensor<7x6xf32> {spmd.sharding = #x_n}, %b: tensor<7x6xi32> {spmd.sharding = #x_n}) -> (tensor<7x6xf32> {spmd.sharding = #x_n}, tensor<7x6xi32> {spmd.sharding = #x_n}, tensor<7x2xf32> {spmd.sharding = #x_n}, tensor<7x2xi32> {spmd.sharding = #x_n}) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<i32>, %t: tensor<i32>):
    %u = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %u : tensor<i1>
  }) {spmd.shardings = [#x_n, #x_n]} : (tensor<7x6xf32>, tensor<7x6xi32>) -> (tensor<7x6xf32>, tensor<7x6xi32>)
  %1:2 = chlo.top_k(%a, k = 2) {spmd.shardings = [#x_n, #x_n]} : tensor<7x6xf32> -> (tensor<7x2xf32>, tensor<7x2xi32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<7x6xf32>, tensor<7x6xi32>, tensor<7x2xf32>, tensor<7x2xi32>
}

// RULE: stablehlo.sort: ([i, j],[i, j])->([i, j],[i, j]) {i=7, j=6 sort gathered}
// RULE: chlo.top_k: ([i, j])->([i, k],[i, k]) {i=7, j=6 reduction direction=none, k=2 replicated direction=none gathered}
//
// PART: "stablehlo.sort"({{%.*}}) <{dimension = 1 : i64, is_stable = true}> ({
// PART: }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
// PART: chlo.top_k({{%.*}}k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
// PART: return {{%.*}} : tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x2xf32>, tensor<4x2xi32>
