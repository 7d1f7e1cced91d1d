// Ops whose bodies read memory at indices of their own stay after what writes it.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// RUN: partita-run %s --engine=gpu-emulate --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
func.func @main(%x: tensor<4xi32>, %y: tensor<4x3xf32>) -> (tensor<4xi32>, tensor<4x3xf32>, tensor<4xi32>) {
  // Bytes of each element, and back: the second op reads four bytes in each iteration.
  %bytes = stablehlo.bitcast_convert %x : (tensor<4xi32>) -> tensor<4x4xui8>
  %back = stablehlo.bitcast_convert %bytes : (tensor<4x4xui8>) -> tensor<4xi32>
  // The last element first.
  %sum = stablehlo.add %y, %y : tensor<4x3xf32>
  %reversed = stablehlo.reverse %sum, dims = [0, 1] : tensor<4x3xf32>
  // A gather by the values that it gathers: the result is no place to read from.
  %next = stablehlo.add %x, %x : tensor<4xi32>
  %starts = stablehlo.reshape %next : (tensor<4xi32>) -> tensor<4x1xi32>
  %picked = "stablehlo.gather"(%next, %starts) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<4x1xi32>) -> tensor<4xi32>
  return %back, %reversed, %picked : tensor<4xi32>, tensor<4x3xf32>, tensor<4xi32>
}
