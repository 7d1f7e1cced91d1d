// What ops without a test of their own give as machine code, against the evaluator.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%c: tensor<6xcomplex<f32>>, %i: tensor<6xi32>, %u: tensor<6xui8>, %x: tensor<8xf32>, %h: tensor<8xbf16>)
    -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xi32>, tensor<6xui8>, tensor<8xf32>, tensor<8xf8E4M3FN>,
        tensor<6xi4>, tensor<8xbf16>, tensor<6x4xui2>, tensor<6xcomplex<f32>>, tensor<8xi1>) {
  %0 = chlo.conj %c : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  %1 = stablehlo.tanh %c : tensor<6xcomplex<f32>>
  %2 = stablehlo.constant dense<[-3, -1, 0, 1, 2, 5]> : tensor<6xi32>
  %3 = stablehlo.power %2, %i : tensor<6xi32>
  %4 = chlo.mulhi %u, %u : tensor<6xui8>, tensor<6xui8> -> tensor<6xui8>
  %5 = stablehlo.reduce_precision %x, format = e4m3 : tensor<8xf32>
  %6 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  %7 = stablehlo.multiply %6, %6 : tensor<8xf8E4M3FN>
  %8 = stablehlo.convert %i : (tensor<6xi32>) -> tensor<6xi4>
  %9 = stablehlo.add %8, %8 : tensor<6xi4>
  %10 = chlo.next_after %h, %h : tensor<8xbf16>, tensor<8xbf16> -> tensor<8xbf16>
  %11 = stablehlo.bitcast_convert %u : (tensor<6xui8>) -> tensor<6x4xui2>
  %12 = stablehlo.divide %c, %1 : tensor<6xcomplex<f32>>
  %13 = chlo.is_pos_inf %x : tensor<8xf32> -> tensor<8xi1>
  return %0, %1, %3, %4, %5, %7, %9, %10, %11, %12, %13 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xi32>,
      tensor<6xui8>, tensor<8xf32>, tensor<8xf8E4M3FN>, tensor<6xi4>, tensor<8xbf16>, tensor<6x4xui2>, tensor<6xcomplex<f32>>,
      tensor<8xi1>
}
