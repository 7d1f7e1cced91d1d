// A signature that does not divide is refused, as JAX does, argument and result
// each with both sizes; uneven-io=pad accepts it and is exact.
// RUN: rm -f %t.npz
// RUN: not partita-run %s --outputs=%t.npz 2>&1 | FileCheck %s
// RUN: not ls %t.npz
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact | FileCheck %s --check-prefix=PAD
// RUN: %make_npz %t.in.npz i4:5x3:arange
// RUN: partita-run %s --partita=uneven-io=pad --inputs=%t.in.npz --outputs=%t.out.npz
// RUN: %make_npz --print %t.out.npz | FileCheck %s --check-prefix=NPZ

// CHECK: uneven-io.mlir:[[#@LINE+13]]:{{[0-9]+}}: error: argument 0 of @main: dimension 0 of size 5 does not divide into 4 shards along {"x"} of mesh @mesh; its type is 'tensor<5x3xi32>'
// CHECK: note: fix: pad the dimension to 8, shard another dimension, or allow padding with uneven-io=pad
// CHECK: error: result 0 of @main: dimension 1 of size 5 does not divide into 4 shards
// CHECK: note: fix: pad the dimension to 8
// PAD: equal (exact
// PAD-NOT: vacuous
// NPZ: arr_0 <i4 [3, 5] [0, 6, 12, 18, 24, 2, 8, 14, 20, 26, 4, 10, 16, 22, 28]

// Fewer elements than devices, and blocks that are all padding, are no other case.
// RUN: partita-run %S/Inputs/fewer-than-devices.mlir --partita=uneven-io=pad --compare=exact | FileCheck %s --check-prefix=PAD

module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<5x3xi32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x3xi32>) -> tensor<3x5xi32>
    return %1 : tensor<3x5xi32>
  }
}
