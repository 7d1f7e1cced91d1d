// Machine code on one thread per device gives what the evaluator gives.
// RUN: partita-run %src/examples/mlp_train_step/train_step.mlir --engine=jit --inputs=positive --compare=unsharded | FileCheck %s
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal (floats

sdy.mesh @mesh = <["x"=2, "y"=3]>

// A dot over an uneven contraction, a loop that swaps its carries, a sort, a
// gather and a reduction by maximum.
func.func @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<6x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<2x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x6xf32>) -> tensor<6x6xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %t = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %2:3 = stablehlo.while(%i = %zero, %u = %0, %v = %t) : tensor<i32>, tensor<6x6xf32>, tensor<6x6xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %v, %u : tensor<i32>, tensor<6x6xf32>, tensor<6x6xf32>
  }
  %3 = "stablehlo.sort"(%2#1) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %rows = stablehlo.constant dense<[[4], [1]]> : tensor<2x1xi32>
  %4 = "stablehlo.gather"(%a, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>
  return %2#2, %1, %3, %4 : tensor<6x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<2x8xf32>
}
