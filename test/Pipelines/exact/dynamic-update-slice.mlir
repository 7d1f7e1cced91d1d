// An update of a sharded operand: the owners write their part of it.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-10: equal (exact

//--- across.mlir
// The update covers parts of several blocks.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<8x9xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
    return %0 : tensor<8x9xf32>
  }
}

//--- clamped.mlir
// The start is clamped so that the whole update fits, on the global extent.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: tensor<i32>) -> (tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %c = stablehlo.constant dense<7> : tensor<i32>
    %d = stablehlo.constant dense<-3> : tensor<i32>
    %e = stablehlo.add %arg2, %d : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %c, %e : (tensor<8x9xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
    return %0 : tensor<8x9xf32>
  }
}

//--- cache.mlir
// A KV cache: one position of the sharded sequence is written, the cache stays.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg1: tensor<2x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg2: tensor<i32>) -> (tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %c, %arg2, %c : (tensor<2x16x4xf32>, tensor<2x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x16x4xf32>
    return %0 : tensor<2x16x4xf32>
  }
}

//--- same_start.mlir
// One value starts both dimensions.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3x4xf32>, %arg2: tensor<i32>) -> (tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<8x9xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
    return %0 : tensor<8x9xf32>
  }
}

//--- uneven.mlir
// Seven rows over four blocks, an update of five.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<5x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<7x3xf32>, tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
    return %0 : tensor<7x3xf32>
  }
}
