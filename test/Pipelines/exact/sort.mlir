// Sorting along a sharded dimension moves the sharding to another one, or gathers.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-6: equal (exact

//--- along.mlir
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%v: tensor<i32>, %w: tensor<i32>, %k: tensor<f32>, %l: tensor<f32>):
      %p = stablehlo.compare LT, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<7x5xi32>, tensor<7x5xf32>) -> (tensor<7x5xi32>, tensor<7x5xf32>)
    return %0#0, %0#1 : tensor<7x5xi32>, tensor<7x5xf32>
  }
}

//--- beside.mlir
// The other dimension is sharded: local sorts.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<7x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<7x5xf32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%v: tensor<i32>, %w: tensor<i32>, %k: tensor<f32>, %l: tensor<f32>):
      %p = stablehlo.compare LT, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<7x5xi32>, tensor<7x5xf32>) -> (tensor<7x5xi32>, tensor<7x5xf32>)
    return %0#0, %0#1 : tensor<7x5xi32>, tensor<7x5xf32>
  }
}

//--- vector.mlir
// No dimension is free; equal keys keep their order.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<11xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<11xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<11xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<11xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%v: tensor<i32>, %w: tensor<i32>, %k: tensor<f32>, %l: tensor<f32>):
      %p = stablehlo.compare LT, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<11xi32>, tensor<11xf32>) -> (tensor<11xi32>, tensor<11xf32>)
    return %0#0, %0#1 : tensor<11xi32>, tensor<11xf32>
  }
}
