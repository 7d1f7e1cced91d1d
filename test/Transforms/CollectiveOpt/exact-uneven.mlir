// Gradients of a perceptron on 2 x 4 devices, sizes that do not divide: their
// sums are combined, and every value is still exact.
// RUN: partita-run %s --compare=exact --partita="uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --compare=exact --partita="uneven-io=pad machine=free-network" | FileCheck %s
// RUN: partita-run %s --compare=exact --partita="uneven-io=pad objective=bytes results=propagated" | FileCheck %s
// RUN: partita-run %s --compare=exact --partita="uneven-io=pad async=on machine=cpu" | FileCheck %s
// RUN: partita-opt %s --partita="uneven-io=pad machine=free-network" | FileCheck %s --check-prefix=IR
// CHECK: {{^}}equal
// IR: spmd.all_reduce add %{{[a-z0-9]+}}, %{{[a-z0-9]+}}{{.*}} {"data"}
// IR-NOT: spmd.all_reduce
module @mlp attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["model"=2, "data"=4]>
  func.func public @main(
      %x: tensor<10x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w1: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
      %w2: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
      %b1: tensor<7xf32>, %b2: tensor<3xf32>)
      -> (tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
          tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
          tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<10x5xf32>, tensor<5x7xf32>) -> tensor<10x7xf32>
    %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<7xf32>) -> tensor<10x7xf32>
    %h = stablehlo.add %0, %1 : tensor<10x7xf32>
    %t = stablehlo.tanh %h : tensor<10x7xf32>
    %2 = stablehlo.dot_general %t, %w2, contracting_dims = [1] x [0] : (tensor<10x7xf32>, tensor<7x3xf32>) -> tensor<10x3xf32>
    %3 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<3xf32>) -> tensor<10x3xf32>
    %y = stablehlo.add %2, %3 : tensor<10x3xf32>
    %db2 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<10x3xf32>, tensor<f32>) -> tensor<3xf32>
    %dw2 = stablehlo.dot_general %t, %y, contracting_dims = [0] x [0] : (tensor<10x7xf32>, tensor<10x3xf32>) -> tensor<7x3xf32>
    %dt = stablehlo.dot_general %y, %w2, contracting_dims = [1] x [1] : (tensor<10x3xf32>, tensor<7x3xf32>) -> tensor<10x7xf32>
    %dh = stablehlo.multiply %dt, %t : tensor<10x7xf32>
    %db1 = stablehlo.reduce(%dh init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<10x7xf32>, tensor<f32>) -> tensor<7xf32>
    %dw1 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] : (tensor<10x5xf32>, tensor<10x7xf32>) -> tensor<5x7xf32>
    return %dw1, %dw2, %db1, %db2 : tensor<5x7xf32>, tensor<7x3xf32>, tensor<7xf32>, tensor<3xf32>
  }
}
