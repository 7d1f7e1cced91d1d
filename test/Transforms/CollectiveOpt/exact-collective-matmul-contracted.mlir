// Two contractions read one gathered value, one along the gathered dimension and
// one along the other: six devices share a ring over both axes. Their columns of
// %v are uneven. Had all of them the same columns, sums in another order on each
// would make replicas differ: the second run.
// RUN: partita-opt %s --partita="collective-matmul=true machine=cpu async=on" --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: partita-run %s --compare=exact --compare-each --partita="collective-matmul=true machine=cpu async=on" | FileCheck %s
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded --partita="collective-matmul=true machine=cpu async=on" | FileCheck %s
// RUN: sed '/uneven/s/{"y", "x"}/{}/' %s > %t.mlir
// RUN: partita-opt %t.mlir --partita="collective-matmul=true machine=cpu async=on" --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %t.mlir --engine=jit --no-cache --compare=unsharded --partita="collective-matmul=true machine=cpu async=on"
// EQUAL: NotDecomposed{{.*}}equal on all devices of the ring
// CHECK: equal
// CHECK: 5 x permute
// REMARK: Decomposed{{.*}}spmd.all_gather as 5 steps of a ring, each beside one block of 2 contractions

spmd.mesh @mesh = <["x"=2 link(1.0e-6, 1.0e8), "y"=3 link(1.0e-6, 1.0e8)]>

func.func @main(
    %c: tensor<96x288xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y", "x"}]>},
    %u: tensor<100x96xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>},
    %v: tensor<288x100xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>})
    -> (tensor<100x288xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>},
        tensor<96x100xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}) {
  %0 = spmd.constraint %c <@mesh, [{}, {}]> : tensor<96x288xf32>
  %1 = spmd.constraint %u <@mesh, [{}, {}]> : tensor<100x96xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<100x96xf32>, tensor<96x288xf32>) -> tensor<100x288xf32>
  %3 = spmd.constraint %v <@mesh, [{}, {"y", "x"}]> : tensor<288x100xf32> // uneven
  %4 = stablehlo.dot_general %0, %3, contracting_dims = [1] x [0] : (tensor<96x288xf32>, tensor<288x100xf32>) -> tensor<96x100xf32>
  %5 = spmd.constraint %4 <@mesh, [{}, {"y", "x"}]> : tensor<96x100xf32> // uneven
  return %2, %5 : tensor<100x288xf32>, tensor<96x100xf32>
}
