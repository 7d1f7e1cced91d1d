// A plan sends no more than the one in which propagated shardings are kept:
// gathering some of these vectors over a part of the axis saves latency, but
// costs 10,000 bytes where the sum of products costs 7.
// RUN: partita-run %s --compare=exact | FileCheck %s
// CHECK: equal (exact
// CHECK: 8 devices, 7 bytes sent per device
// CHECK-NEXT: 1 x all_reduce: 7 bytes
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<10000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %arg1: tensor<10000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<10000xf32>, tensor<10000xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
