// Branches agree on the layout of what they return.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-6: equal (exact

//--- case.mlir
// Three branches, the last the default for an index out of range.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.reverse %arg1, dims = [0] : tensor<7x5xf32>
      stablehlo.return %1 : tensor<7x5xf32>
    }, {
      %1 = stablehlo.add %arg1, %arg2 : tensor<7x5xf32>
      stablehlo.return %1 : tensor<7x5xf32>
    }, {
      stablehlo.return %arg2 : tensor<7x5xf32>
    }) : (tensor<i32>) -> tensor<7x5xf32>
    return %0 : tensor<7x5xf32>
  }
}

//--- if.mlir
// One branch communicates, the other does not.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.reverse %arg1, dims = [1] : tensor<8x4xf32>
      stablehlo.return %1 : tensor<8x4xf32>
    }, {
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<8x4xf32>
      stablehlo.return %1 : tensor<8x4xf32>
    }) : (tensor<i1>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

//--- nested.mlir
// A loop in a branch.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.if"(%arg0) ({
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1:2 = stablehlo.while(%i = %c, %v = %arg1) : tensor<i32>, tensor<10xf32>
      cond {
        %n = stablehlo.constant dense<2> : tensor<i32>
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %r = stablehlo.reverse %v, dims = [0] : tensor<10xf32>
        %m = stablehlo.add %r, %arg1 : tensor<10xf32>
        stablehlo.return %j, %m : tensor<i32>, tensor<10xf32>
      }
      stablehlo.return %1#1 : tensor<10xf32>
    }, {
      stablehlo.return %arg1 : tensor<10xf32>
    }) : (tensor<i1>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
