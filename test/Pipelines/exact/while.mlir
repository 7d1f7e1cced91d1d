// Loops with sharded carries: the body reshards what it returns to what the carry is.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-8: equal (exact

//--- counted.mlir
// Reversal and product on uneven blocks.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %v = %arg0, %w = %arg1) : tensor<i32>, tensor<7x5xf32>, tensor<7x5xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %r = stablehlo.reverse %v, dims = [0] : tensor<7x5xf32>
      %m = stablehlo.multiply %r, %w : tensor<7x5xf32>
      stablehlo.return %j, %m, %w : tensor<i32>, tensor<7x5xf32>, tensor<7x5xf32>
    }
    return %0#1 : tensor<7x5xf32>
  }
}

//--- swap.mlir
// Two carries of different layouts change places.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg2: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %v = %arg0, %w = %arg1) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w, %v : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}

//--- reduced_predicate.mlir
// The predicate is a reduction of the sharded carry: uniform by an all-reduce.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<10xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.while(%v = %arg0) : tensor<10xi32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<100> : tensor<i32>
      %s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<10xi32>, tensor<i32>) -> tensor<i32>
      %p = stablehlo.compare LT, %s, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<10xi32>
      %w = stablehlo.add %v, %v : tensor<10xi32>
      %u = stablehlo.add %w, %one : tensor<10xi32>
      stablehlo.return %u : tensor<10xi32>
    }
    return %0 : tensor<10xi32>
  }
}

//--- scan.mlir
// A scan over stacked layers: a dynamic slice of the weights in each trip.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<3x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %v = %arg1) : tensor<i32>, tensor<4x6xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.dynamic_slice %arg0, %i, %c, %c, sizes = [1, 6, 6] : (tensor<3x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
      %w = stablehlo.reshape %s : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
      %d = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %t = stablehlo.tanh %d : tensor<4x6xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %t : tensor<i32>, tensor<4x6xf32>
    }
    return %0#1 : tensor<4x6xf32>
  }
}
