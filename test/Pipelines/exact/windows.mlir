// Windows over sharded dimensions take their halo from the neighbours.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-8: equal (exact

//--- cumsum.mlir
// A cumulative sum along the sharded dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<9x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<9x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 9, 1>}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<9x3xf32>, tensor<f32>) -> tensor<9x3xf32>
    return %0 : tensor<9x3xf32>
  }
}

//--- pool.mlir
// Max pooling, window 3, stride 2, with a pad on one side and an init argument.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<11x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<f32>) -> (tensor<5x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.maximum %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    return %0 : tensor<5x8xf32>
  }
}

//--- convolution.mlir
// A strided, dilated convolution over sharded space, channels and batch.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<3x9x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {"z"}]>}, %arg1: tensor<3x3x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"z"}, {}]>}) -> (tensor<3x8x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}, {"z"}]>}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 0], [1, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x9x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<3x8x4x6xf32>
    return %0 : tensor<3x8x4x6xf32>
  }
}

//--- pool-of-slice.mlir
// The last window takes zeros where the slice ends, though the sliced value goes on there and the slice fetched it.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<82xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.slice %arg0 [5:16] : (tensor<82xf32>) -> tensor<11xf32>
    %1 = "stablehlo.reduce_window"(%0, %c) <{padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<11xf32>, tensor<f32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}
