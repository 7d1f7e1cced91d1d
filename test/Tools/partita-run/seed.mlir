// Random inputs follow the seed alone: the same seed gives the same file,
// another one does not; --inputs=positive has no negative number.
// RUN: partita-run %s --seed=3 --outputs=%t.1.npz --compare=unsharded | FileCheck %s
// RUN: partita-run %s --seed=3 --outputs=%t.2.npz
// RUN: partita-run %s --seed=4 --outputs=%t.3.npz
// RUN: cmp %t.1.npz %t.2.npz
// RUN: not cmp -s %t.1.npz %t.3.npz
// RUN: partita-run %s --inputs=positive --outputs=%t.4.npz
// RUN: %make_npz --print %t.4.npz | FileCheck %s --check-prefix=POSITIVE
// CHECK: equal
// POSITIVE-NOT: -

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<64xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
