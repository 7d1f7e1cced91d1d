// Programs in the forms that a machine's prices choose give what they gave.
// RUN: partita-opt %s --partita="uneven-io=pad objective=bytes" -o %t.plan.mlir
// RUN: partita-translate --spmd-to-manual %t.plan.mlir --partita="machine=cpu,all_to_all-launch=1,memory=1e12" > %t.few.mlir
// RUN: FileCheck %s --check-prefix=FEW --input-file=%t.few.mlir
// RUN: partita-run %s --partita=uneven-io=pad --compare=%t.few.mlir | FileCheck %s
// RUN: partita-translate --spmd-to-manual %t.plan.mlir --partita="machine=cpu,launch=1e-6,memory=1e6" > %t.many.mlir
// RUN: FileCheck %s --check-prefix=MANY --input-file=%t.many.mlir
// RUN: partita-run %s --partita=uneven-io=pad --compare=%t.many.mlir | FileCheck %s
// CHECK: {{^}}equal

// FEW-NOT: stablehlo.all_to_all
// FEW: stablehlo.collective_permute
// FEW-COUNT-1: stablehlo.all_gather
// FEW-NOT: stablehlo.all_gather
// FEW-COUNT-1: stablehlo.reduce_scatter
// FEW-NOT: stablehlo.reduce_scatter
// MANY: stablehlo.all_to_all
// MANY-COUNT-2: stablehlo.all_gather
// MANY-COUNT-2: stablehlo.reduce_scatter

spmd.mesh @m = <["x"=2, "y"=3]>
#rows = #spmd.sharding<@m, [{"x"}, {}]>
#columns = #spmd.sharding<@m, [{}, {"x"}]>
#contracted = #spmd.sharding<@m, [{}, {"x", "y"}]>
#contractedRows = #spmd.sharding<@m, [{"x", "y"}, {}]>
#grid = #spmd.sharding<@m, [{"x"}, {"y"}]>
#none = #spmd.sharding<@m, [{}, {}]>
#thirds = #spmd.sharding<@m, [{}, {"y"}]>

// Swapped between two; gathered and scattered over both dimensions; seven
// columns cut into blocks of three, the last of which ends in padding.
func.func @main(
    %a: tensor<4x6xf32> {spmd.sharding = #columns},
    %b: tensor<8x9xf32> {spmd.sharding = #grid},
    %c: tensor<4x12xf32> {spmd.sharding = #contracted},
    %d: tensor<12x9xf32> {spmd.sharding = #contractedRows},
    %e: tensor<5x7xf32> {spmd.sharding = #none})
    -> (tensor<4x6xf32> {spmd.sharding = #rows},
        tensor<8x9xf32> {spmd.sharding = #none},
        tensor<4x9xf32> {spmd.sharding = #grid},
        tensor<5x7xf32> {spmd.sharding = #thirds}) {
  %0 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<4x12xf32>, tensor<12x9xf32>) -> tensor<4x9xf32>
  return %a, %b, %0, %e : tensor<4x6xf32>, tensor<8x9xf32>, tensor<4x9xf32>, tensor<5x7xf32>
}
