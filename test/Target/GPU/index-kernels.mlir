// Gather, scatter and reduce_window are kernels, and compute what the evaluator does.
// RUN: partita-opt %s --partita-gpu-kernels | FileCheck %s
// RUN: partita-run %s --engine=gpu-emulate --compare=unsharded --reference=eval \
// RUN:   | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %s --engine=gpu-emulate --compare=unsharded --reference=eval --seed=7 \
// RUN:   | FileCheck %s --check-prefix=EQUAL

// CHECK-NOT: partita_gather
// CHECK-NOT: partita_scatter
// CHECK-NOT: partita_reduce_window
// CHECK-DAG: gpu.func @gather_{{.*}}known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: gpu.func @scatter_
// CHECK-DAG: gpu.func @reduce_window_
// EQUAL: equal (floats
module @m {
  func.func @main(%table: tensor<40x80xf32>, %ids: tensor<6xi32>, %grad: tensor<6x80xf32>,
                  %image: tensor<2x9x11x3xf32>, %small: tensor<10xi32>, %two: tensor<3xi32>,
                  %half: tensor<12xbf16>)
      -> (tensor<6x80xf32>, tensor<40x80xf32>, tensor<2x4x5x3xf32>, tensor<10xi32>,
          tensor<12xbf16>, tensor<6x2x3xf32>) {
    // Positions out of range: clamped by gather, dropped by scatter.
    %row = stablehlo.reshape %ids : (tensor<6xi32>) -> tensor<6x1xi32>
    %0 = "stablehlo.gather"(%table, %row) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 80>
    } : (tensor<40x80xf32>, tensor<6x1xi32>) -> tensor<6x80xf32>
    %1 = "stablehlo.scatter"(%table, %row, %grad) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      indices_are_sorted = false, unique_indices = false
    } : (tensor<40x80xf32>, tensor<6x1xi32>, tensor<6x80xf32>) -> tensor<40x80xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = "stablehlo.reduce_window"(%image, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
        padding = dense<[[0, 0], [0, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>
    } : (tensor<2x9x11x3xf32>, tensor<f32>) -> tensor<2x4x5x3xf32>
    // Windows of one element: a thread per element of the operand. The last update stays.
    %slots = stablehlo.reshape %two : (tensor<3xi32>) -> tensor<3x1xi32>
    %values = stablehlo.constant dense<[5, 6, 7]> : tensor<3xi32>
    %3 = "stablehlo.scatter"(%small, %slots, %values) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      stablehlo.return %b : tensor<i32>
    }) {
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      indices_are_sorted = false, unique_indices = false
    } : (tensor<10xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<10xi32>
    // A cumulative sum, with a dilated window.
    %zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %4 = "stablehlo.reduce_window"(%half, %zero) ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %s = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) {window_dimensions = array<i64: 4>, base_dilations = array<i64: 2>,
        window_dilations = array<i64: 3>, window_strides = array<i64: 2>,
        padding = dense<[[8, 1]]> : tensor<1x2xi64>
    } : (tensor<12xbf16>, tensor<bf16>) -> tensor<12xbf16>
    // Slices of two rows; the window's dimension stands first in the result.
    %5 = "stablehlo.gather"(%table, %row) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
        start_index_map = [1], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 2, 3>
    } : (tensor<40x80xf32>, tensor<6x1xi32>) -> tensor<6x2x3xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<6x80xf32>, tensor<40x80xf32>,
      tensor<2x4x5x3xf32>, tensor<10xi32>, tensor<12xbf16>, tensor<6x2x3xf32>
  }
}
