// Select, clamp and compare with scalar and with whole predicates.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-8: equal (exact

//--- whole.mlir
// The predicate is sharded otherwise than both branches.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<7x5xf32>) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7x5xi1>, tensor<7x5xf32>
    return %0 : tensor<7x5xf32>
  }
}

//--- scalar.mlir
// A scalar predicate has no dimension to shard.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<7x5xf32>
    return %0 : tensor<7x5xf32>
  }
}

//--- clamp.mlir
// Clamp with a scalar and a whole bound.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> (tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<f32>, tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xf32>
    return %0 : tensor<10x3xf32>
  }
}

//--- compare.mlir
// A comparison changes the element type, not the layout.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<6x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<6x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<6x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    return %0 : tensor<6x6xi1>
  }
}
