// Pads move block borders: an interval exchange, of several hops where blocks are
// small. The pad value is an argument, so that no zero can stand in for it.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-12: equal (exact

//--- low_high.mlir
// Both sides of both sharded dimensions grow.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<f32>) -> (tensor<10x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [2, 1], high = [1, 3], interior = [0, 0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<10x9xf32>
    return %0 : tensor<10x9xf32>
  }
}

//--- negative.mlir
// Negative pads cut elements off.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<9x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<f32>) -> (tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [-1, -3], high = [-2, 2], interior = [0, 0] : (tensor<9x8xf32>, tensor<f32>) -> tensor<6x7xf32>
    return %0 : tensor<6x7xf32>
  }
}

//--- interior.mlir
// Interior padding spreads elements over the blocks.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<5x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<f32>) -> (tensor<14x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [0, 1], interior = [2, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<14x6xf32>
    return %0 : tensor<14x6xf32>
  }
}

//--- interior_negative.mlir
// Interior padding and a cut low side.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg1: tensor<f32>) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [-2], high = [1], interior = [1] : (tensor<6xf32>, tensor<f32>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}

//--- far.mlir
// The low pad is wider than a block: elements travel over several devices.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [13], high = [3], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<24xf32>
    return %0 : tensor<24xf32>
  }
}

//--- shift.mlir
// A shift by one: pad at one end, cut at the other.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<f32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
