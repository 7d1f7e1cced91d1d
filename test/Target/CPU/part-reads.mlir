// An op that reads a whole buffer and, elsewhere, a part of it does not write its
// result there: in rows to come the part is still read.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%x: tensor<2x5x24xf32>, %d: tensor<10x24xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<2x5x24xf32>, tensor<10x24xf32>) {
  // A buffer that dies.
  %0 = stablehlo.sine %x : tensor<2x5x24xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x5x24xf32>) -> tensor<240xf32>
  %2 = stablehlo.slice %1 [19:43] : (tensor<240xf32>) -> tensor<24xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
  %4 = stablehlo.multiply %0, %3 : tensor<2x5x24xf32>
  // An argument that becomes a result.
  %5 = stablehlo.slice %d [1:2, 0:24] : (tensor<10x24xf32>) -> tensor<1x24xf32>
  %6 = stablehlo.reshape %5 : (tensor<1x24xf32>) -> tensor<24xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<24xf32>) -> tensor<10x24xf32>
  %8 = stablehlo.subtract %d, %7 : tensor<10x24xf32>
  return %4, %8 : tensor<2x5x24xf32>, tensor<10x24xf32>
}
