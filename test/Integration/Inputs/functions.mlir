// CHLO ops that HLO has an opcode for or that are expanded.
module @functions {
  func.func public @main(%x: tensor<64xf32>, %b: tensor<8xbf16>,
      %c: tensor<4xcomplex<f32>>, %t: tensor<2x8xf32>) ->
      (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
       tensor<8xbf16>, tensor<4xcomplex<f32>>, tensor<2x3xf32>, tensor<2x3xi32>,
       tensor<64xi1>, tensor<9xf32>, tensor<9xf32>) {
    %half = stablehlo.constant dense<5.000000e-01> : tensor<64xf32>
    %two = stablehlo.constant dense<2.000000e+00> : tensor<64xf32>
    %h = stablehlo.multiply %x, %half : tensor<64xf32>
    %d = stablehlo.add %x, %two : tensor<64xf32>
    %0 = chlo.acos %h : tensor<64xf32> -> tensor<64xf32>
    %1 = chlo.asin %h : tensor<64xf32> -> tensor<64xf32>
    %2 = chlo.atan %x : tensor<64xf32> -> tensor<64xf32>
    %3 = chlo.acosh %d : tensor<64xf32> -> tensor<64xf32>
    %4 = chlo.asinh %x : tensor<64xf32> -> tensor<64xf32>
    %5 = chlo.atanh %h : tensor<64xf32> -> tensor<64xf32>
    %6 = chlo.cosh %x : tensor<64xf32> -> tensor<64xf32>
    %7 = chlo.sinh %x : tensor<64xf32> -> tensor<64xf32>
    %8 = chlo.tan %h : tensor<64xf32> -> tensor<64xf32>
    %9 = chlo.square %x : tensor<64xf32> -> tensor<64xf32>
    %10 = chlo.erf %x : tensor<64xf32> -> tensor<64xf32>
    %11 = chlo.erfc %x : tensor<64xf32> -> tensor<64xf32>
    %12 = chlo.erf_inv %h : tensor<64xf32> -> tensor<64xf32>
    %s0 = stablehlo.add %0, %1 : tensor<64xf32>
    %s1 = stablehlo.add %2, %3 : tensor<64xf32>
    %s2 = stablehlo.add %4, %5 : tensor<64xf32>
    %s3 = stablehlo.add %6, %7 : tensor<64xf32>
    %s4 = stablehlo.add %8, %9 : tensor<64xf32>
    %s5 = stablehlo.multiply %s0, %s1 : tensor<64xf32>
    %s6 = stablehlo.multiply %s2, %s3 : tensor<64xf32>
    %s7 = stablehlo.add %s5, %s6 : tensor<64xf32>
    %s8 = stablehlo.add %s4, %10 : tensor<64xf32>
    %s9 = stablehlo.add %s8, %s7 : tensor<64xf32>
    %b0 = chlo.erfc %b : tensor<8xbf16> -> tensor<8xbf16>
    %c0 = chlo.conj %c : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %k:2 = chlo.top_k(%t, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<64xf32>
    %inf = stablehlo.divide %x, %zero : tensor<64xf32>
    %i0 = chlo.is_inf %inf : tensor<64xf32> -> tensor<64xi1>
    %i1 = chlo.is_pos_inf %inf : tensor<64xf32> -> tensor<64xi1>
    %i2 = chlo.is_neg_inf %inf : tensor<64xf32> -> tensor<64xi1>
    %i3 = stablehlo.xor %i1, %i2 : tensor<64xi1>
    %i4 = stablehlo.and %i0, %i3 : tensor<64xi1>
    // Far arguments, both branches of each fit, and the ends.
    %far = stablehlo.constant dense<[-12.0, -3.0, -1.5, -0.5, 0.0, 0.75, 1.75, 4.0, 9.0]> : tensor<9xf32>
    %e0 = chlo.erfc %far : tensor<9xf32> -> tensor<9xf32>
    %ends = stablehlo.constant dense<[-0.99999, -0.9, -0.25, 0.0, 0.125, 0.5, 0.999, 0.9999, 0.99]> : tensor<9xf32>
    %e1 = chlo.erf_inv %ends : tensor<9xf32> -> tensor<9xf32>
    return %s9, %11, %12, %s8, %b0, %c0, %k#0, %k#1, %i4, %e0, %e1
        : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
          tensor<8xbf16>, tensor<4xcomplex<f32>>, tensor<2x3xf32>,
          tensor<2x3xi32>, tensor<64xi1>, tensor<9xf32>, tensor<9xf32>
  }
}
