// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --compare=unsharded --engine=eval
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

// Each device takes the k largest elements of its block; only those are gathered.
// Blocks shorter than k, blocks of padding alone, ties and integers.

spmd.mesh @m = <["x"=2, "y"=3]>

// RULE: chlo.top_k: ([i])->([j],[j]) {i=100 reduction direction=none, j=4 replicated direction=none gathered}

// CHECK: chlo.top_k({{%.*}}k = 4) : tensor<17xf32> -> (tensor<4xf32>, tensor<4xi32>)
// CHECK: spmd.all_gather {{.*}} : (tensor<4xf32>{{.*}}) -> {{.*}}tensor<24xf32>
// CHECK: chlo.top_k({{%.*}}k = 4) : tensor<24xf32> -> (tensor<4xf32>, tensor<4xi32>)
func.func @main(%a: tensor<100xf32> {spmd.sharding = #spmd.sharding<@m, [{"x", "y"}]>}, %b: tensor<5x7xi32> {spmd.sharding = #spmd.sharding<@m, [{"x"}, {"y"}]>}, %c: tensor<4xi32> {spmd.sharding = #spmd.sharding<@m, [{"y", "x"}]>}) -> (tensor<4xf32>, tensor<4xi32>, tensor<5x6xi32>, tensor<5x6xi32>, tensor<3xi32>, tensor<3xi32>) {
  %0:2 = chlo.top_k(%a, k = 4) : tensor<100xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %sign = stablehlo.sign %b : tensor<5x7xi32>
  %1:2 = chlo.top_k(%sign, k = 6) : tensor<5x7xi32> -> (tensor<5x6xi32>, tensor<5x6xi32>)
  %2:2 = chlo.top_k(%c, k = 3) : tensor<4xi32> -> (tensor<3xi32>, tensor<3xi32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<4xf32>, tensor<4xi32>, tensor<5x6xi32>, tensor<5x6xi32>, tensor<3xi32>, tensor<3xi32>
}
