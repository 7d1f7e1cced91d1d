// Starts are clamped on the whole extent, then the owner gives.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-10: equal (exact

//--- sharded.mlir
// Both dimensions sharded, sizes that cross blocks.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<3x4xf32>) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [3, 4] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}

//--- beyond.mlir
// A start beyond the end, and one before the beginning.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>) -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<100> : tensor<i32>
    %d = stablehlo.constant dense<-5> : tensor<i32>
    %e = stablehlo.add %arg1, %d : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %c, %e, sizes = [3, 4] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}

//--- whole_dim.mlir
// The sharded dimension is taken whole, another is indexed.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<1x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [1, 7] : (tensor<6x7xf32>, tensor<i32>, tensor<i32>) -> tensor<1x7xf32>
    return %0 : tensor<1x7xf32>
  }
}

//--- same_start.mlir
// One value starts both dimensions.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>) -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [3, 4] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}

//--- few.mlir
// Out of three elements on eight devices.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : (tensor<3xf32>, tensor<i32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
