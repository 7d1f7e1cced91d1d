// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Rows of the result stay where they are: indices are made local and those of other
// blocks drop. Sharded updates make partial results by the kind of the body; the inputs
// count on one device, padding in the updates on none.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#y_n = #spmd.sharding<@m, [{"y"}, {}]>

func.func @main(%t: tensor<7x6xf32> {spmd.sharding = #x_n}, %i: tensor<5x1xi32> {spmd.sharding = #y_n}, %u: tensor<5x6xf32> {spmd.sharding = #y_n}) -> (tensor<7x6xf32> {spmd.sharding = #x_n}) {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {}], unreduced=[max]{"y"}>]} : (tensor<7x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
  %1 = spmd.reshard %0 <@m, [{"x"}, {}]> {spmd.shardings = [#x_n]} : tensor<7x6xf32>
  return %1 : tensor<7x6xf32>
}

// RULE: stablehlo.scatter: ([k, j],[i, l],[i, j])->([k, j]) {i=5 max, j=6, k=7 indexed, l=1 replicated gathered}
//
// PART: stablehlo.select {{%.*}} : tensor<i1>, tensor<4x6xf32>
// PART: stablehlo.subtract {{%.*}} : tensor<2x1xi32>
// PART: stablehlo.select {{%.*}} : tensor<2x1xi1>, tensor<2x1xi32>
// PART: "stablehlo.scatter"({{%.*}}) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
// PART: spmd.all_reduce max {{%.*}} {"y"} on @m : (tensor<4x6xf32>) -> tensor<4x6xf32>
