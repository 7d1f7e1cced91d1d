// Every pass from propagation on that changes the program is compared: here
// propagation and placement on whole arrays, partition on blocks.
// RUN: partita-run %s --compare=exact --compare-each | FileCheck %s
// CHECK: equal (exact, max |difference| 0.000000e+00, after each of 3 passes)
// RUN: partita-run %s --compare=exact --compare-each --json | FileCheck %s --check-prefix=JSON
// JSON: "equal":true,{{.*}}"stages":3
// RUN: partita-run %s --compare=exact --json | FileCheck %s --check-prefix=LAST
// LAST-NOT: stages

// RUN: not partita-run %s --compare-each 2>&1 | FileCheck %s --check-prefix=FLOATS
// FLOATS: error: --compare-each compares over the prime field only
// FLOATS: note: fix: use --compare=exact --compare-each

module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %arg1: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}
