// Sub-axes of one mesh axis in different places, and in different orders.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-12: equal (exact

//--- move.mlir
// Half of the axis moves to the other dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4}]>}) {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- swap.mlir
// Major and minor halves change places.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(2)2}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {"y":(1)2}]>}) {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- order.mlir
// The minor half is the major one of a dimension.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "x":(1)2}]>}) {
    %0 = stablehlo.negate %arg0 : tensor<9xf32>
    return %0 : tensor<9xf32>
  }
}

//--- contract.mlir
// Partial sums over a half of an axis.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)2}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}

//--- partial_apart.mlir
// Partial sums over the whole axis go to a layout of one factorisation while other
// values use the other one: they are summed before the slice.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=6]>
  func.func public @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(3)2}]>}, tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) {
    %1 = stablehlo.negate %arg0 : tensor<6xf32>
    %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    return %1, %0 : tensor<6xf32>, tensor<4x6xf32>
  }
}

//--- apart.mlir
// 6 as 2 then 3 against 3 then 2: no common factorisation.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=6]>
  func.func public @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, %arg1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(3)2}]>}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
