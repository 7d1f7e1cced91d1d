// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Rows of a table sharded by rows: indices are clamped by the whole table and made local,
// what the device does not own is zero and the partial results are summed. Batches and
// full windows are parallel.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>
#y_n = #spmd.sharding<@m, [{"y"}, {}]>
#x_n_n = #spmd.sharding<@m, [{"x"}, {}, {}]>

func.func @main(%t: tensor<7x6xf32> {spmd.sharding = #x_n}, %i: tensor<6x1xi32> {spmd.sharding = #y_n}, %b: tensor<4x7x4xf32> {spmd.sharding = #x_n_n}, %j: tensor<4x5x1xi32> {spmd.sharding = #x_n_n})
    -> (tensor<6x6xf32> {spmd.sharding = #y_n}, tensor<4x5x4xf32> {spmd.sharding = #x_n_n}) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> {spmd.shardings = [#spmd.sharding<@m, [{"y"}, {}], unreduced={"x"}>]} : (tensor<7x6xf32>, tensor<6x1xi32>) -> tensor<6x6xf32>
  %1 = spmd.reshard %0 <@m, [{"y"}, {}]> {spmd.shardings = [#y_n]} : tensor<6x6xf32>
  %2 = "stablehlo.gather"(%b, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> {spmd.shardings = [#x_n_n]} : (tensor<4x7x4xf32>, tensor<4x5x1xi32>) -> tensor<4x5x4xf32>
  return %1, %2 : tensor<6x6xf32>, tensor<4x5x4xf32>
}

// RULE: stablehlo.gather: ([k, j],[i, l])->([i, j]) {i=6, j=6, k=7 add, l=1 replicated gathered}
// RULE: stablehlo.gather: ([i, l, k],[i, j, m])->([i, j, k]) {i=4, j=5, k=4, l=7 add, m=1 replicated gathered}
//
// PART: stablehlo.clamp {{%.*}} : tensor<2x1xi32>
// PART: stablehlo.subtract {{%.*}} : tensor<2x1xi32>
// PART: "stablehlo.gather"({{%.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
// PART: stablehlo.select {{%.*}} : tensor<2x6xi1>, tensor<2x6xf32>
// PART: spmd.all_reduce add {{%.*}} {"x"} on @m : (tensor<2x6xf32>) -> tensor<2x6xf32>
// PART: "stablehlo.gather"({{%.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x7x4xf32>, tensor<2x5x1xi32>) -> tensor<2x5x4xf32>
