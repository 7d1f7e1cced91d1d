// One function called with different shardings: a clone per call site, merged again
// where they come out equal.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-4: equal (exact

//--- two_ways.mlir
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = call @f(%arg0) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %1 = call @f(%arg1) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    return %0, %1 : tensor<6x7xf32>, tensor<6x7xf32>
  }
  func.func private @f(%arg0: tensor<6x7xf32>) -> tensor<6x7xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<6x7xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<6x7xf32>
    return %1 : tensor<6x7xf32>
  }
}

//--- chain.mlir
// A call of a call, and the same one on its own result.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = call @g(%arg0) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %1 = call @g(%0) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    return %1 : tensor<6x7xf32>
  }
  func.func private @g(%arg0: tensor<6x7xf32>) -> tensor<6x7xf32> {
    %0 = call @f(%arg0) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<6x7xf32>
    return %1 : tensor<6x7xf32>
  }
  func.func private @f(%arg0: tensor<6x7xf32>) -> tensor<6x7xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<6x7xf32>
    return %0 : tensor<6x7xf32>
  }
}
