// The number of devices comes from the module: 4, 8, 10, 12 and, without a word
// of partitions, that of the largest mesh.
// RUN: split-file %s %t
// RUN: partita-run %t/ten.mlir --compare=exact | FileCheck %s --check-prefix=TEN
// RUN: partita-run %t/twelve.mlir --compare=exact --print=arg0 | FileCheck %s --check-prefix=TWELVE
// RUN: partita-run %t/mesh.mlir --json | FileCheck %s --check-prefix=MESH
// RUN: partita-run %t/one.mlir --compare=unsharded | FileCheck %s --check-prefix=ONE

// TEN: equal (exact
// TEN: 10 devices
// TWELVE: arg0 on device 0 (x=0, y=0): tensor<2x2xf32>
// TWELVE: arg0 on device 11 (x=2, y=3): tensor<2x2xf32>
// TWELVE: equal (exact
// TWELVE: 12 devices
// MESH: "devices":6
// ONE: equal
// ONE: 1 devices, 0 bytes

//--- ten.mlir
module attributes {mhlo.num_partitions = 10 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=5, "b"=2]>
  func.func public @main(%arg0: tensor<20x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %arg1: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> tensor<20x10xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<20x6xf32>, tensor<6x10xf32>) -> tensor<20x10xf32>
    return %0 : tensor<20x10xf32>
  }
}

//--- twelve.mlir
module attributes {mhlo.num_partitions = 12 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=4]>
  func.func public @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.add %0, %0 : tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
}

//--- mesh.mlir
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<6xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

//--- one.mlir
module {
  func.func public @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
