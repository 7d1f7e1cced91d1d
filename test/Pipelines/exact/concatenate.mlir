// Concatenation along a sharded dimension, uneven pieces included.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-8: equal (exact

//--- two.mlir
// Pieces 5 and 3 over 3 blocks.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

//--- three.mlir
// Three pieces, each laid out in its own way.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<2x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<2x14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg1, %arg2, dim = 1 : (tensor<2x7xf32>, tensor<2x1xf32>, tensor<2x6xf32>) -> tensor<2x14xf32>
    return %0 : tensor<2x14xf32>
  }
}

//--- across.mlir
// Along a whole dimension while the other is sharded.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<7x2xf32>, tensor<7x3xf32>) -> tensor<7x5xf32>
    return %0 : tensor<7x5xf32>
  }
}

//--- same.mlir
// A value beside itself.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
