// What a user fixes inside the program is kept, uneven or not.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-4: equal (exact

//--- pair.mlir
// One value passes two layouts.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<7x5xf32>) {
    %0 = stablehlo.exponential %arg0 : tensor<7x5xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<7x5xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"y", "x"}]> : tensor<7x5xf32>
    %3 = stablehlo.negate %2 : tensor<7x5xf32>
    return %3 : tensor<7x5xf32>
  }
}

//--- barrier.mlir
// An optimization barrier carries layouts through.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<7x5xf32>, tensor<9xf32>
    return %0#0, %0#1 : tensor<7x5xf32>, tensor<9xf32>
  }
}
