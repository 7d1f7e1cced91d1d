// A block of two layers: what the first reads is gathered, sums of the second are
// scattered. Over links so slow that both go round in rings.
// RUN: partita-opt %s --partita="collective-matmul=true machine=cpu async=on" --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: partita-run %s --compare=exact --compare-each --partita="collective-matmul=true machine=cpu async=on" | FileCheck %s
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded --partita="collective-matmul=true machine=cpu async=on" | FileCheck %s
// CHECK: equal
// CHECK: 4 x permute
// REMARK-DAG: Decomposed{{.*}}spmd.all_gather as 2 steps of a ring
// REMARK-DAG: Decomposed{{.*}}spmd.reduce_scatter as 2 steps of a ring
// REMARK-DAG: Split{{.*}}spmd.permute runs beside other work

spmd.mesh @mesh = <["x"=2 link(1.0e-6, 1.0e8), "y"=3 link(1.0e-6, 1.0e8)]>

func.func @main(
    %x: tensor<96x160xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>},
    %w1: tensor<160x384xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>},
    %w2: tensor<384x160xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<96x160xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = spmd.constraint %x <@mesh, [{}, {}]> : tensor<96x160xf32>
  %1 = stablehlo.dot_general %0, %w1, contracting_dims = [1] x [0] : (tensor<96x160xf32>, tensor<160x384xf32>) -> tensor<96x384xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<96x384xf32>, tensor<384x160xf32>) -> tensor<96x160xf32>
  %3 = spmd.constraint %2 <@mesh, [{"y"}, {}]> : tensor<96x160xf32>
  return %3 : tensor<96x160xf32>
}
