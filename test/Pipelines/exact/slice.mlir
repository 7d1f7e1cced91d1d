// Slices, with strides and with starts inside blocks.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-8: equal (exact

//--- strides.mlir
// Stride 3 from 1 in one dimension, stride 2 in the other.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<11x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.slice %arg0 [1:11:3, 0:9:2] : (tensor<11x9xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}

//--- inside.mlir
// A piece of one block ends up on all devices of the axis.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [5:8, 0:6] : (tensor<16x6xf32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
}

//--- last.mlir
// One element of an uneven dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<1x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.slice %arg0 [6:7, 0:5] : (tensor<7x5xf32>) -> tensor<1x5xf32>
    return %0 : tensor<1x5xf32>
  }
}

//--- roll.mlir
// Two slices and a concatenate: a roll along a sharded dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [13:16] : (tensor<16xf32>) -> tensor<3xf32>
    %1 = stablehlo.slice %arg0 [0:13] : (tensor<16xf32>) -> tensor<13xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3xf32>, tensor<13xf32>) -> tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
