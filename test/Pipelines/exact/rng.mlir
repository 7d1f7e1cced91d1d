// Random bits equal those of the unsharded program for every layout.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-6: equal (exact

//--- threefry.mlir
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<7x5xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x5xui32>)
    return %0#0, %0#1 : tensor<2xui64>, tensor<7x5xui32>
  }
}

//--- philox.mlir
// 64-bit words over two axes.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
    %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9xui64>)
    return %0#0, %0#1 : tensor<3xui64>, tensor<9xui64>
  }
}

//--- default.mlir
// DEFAULT is computed whole and sliced.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x6xui32>)
    return %0#0, %0#1 : tensor<2xui64>, tensor<8x6xui32>
  }
}
