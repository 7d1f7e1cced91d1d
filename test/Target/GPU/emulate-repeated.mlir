// A value that repeats along the threads of a block: LLVM's vectoriser would read
// on behind its end.
// RUN: partita-run %s --engine=gpu-emulate --no-cache --compare=unsharded --reference=eval | FileCheck %s
// CHECK: equal (floats, max |difference| 0.000000e+00)
func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
