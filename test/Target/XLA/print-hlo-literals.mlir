// Text that parses to the same bits.
// RUN: partita-translate --spmd-to-hlo %s | FileCheck %s
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<2xf32>}) -> (tensor<8xf32>, tensor<2x2xi32>, tensor<2xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<2xui64>, tensor<3x4xf32>, tensor<2xf64>, tensor<1xf32>, tensor<0x2xi8>) {
  // CHECK: f32[8] constant({-0.0, 0.1, inf, -inf, nan, nan(0x1), 16777215, 1.4013e-45})
  %0 = stablehlo.constant dense<[-0.0, 0.1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 16777215.0, 1.0e-45]> : tensor<8xf32>
  // CHECK: s32[2,2] constant({ {-2147483648, 1}, {2, 3} })
  %1 = stablehlo.constant dense<[[-2147483648, 1], [2, 3]]> : tensor<2x2xi32>
  // CHECK: pred[2] constant({true, false})
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: bf16[3] constant({0.100098, 3, -1})
  %3 = stablehlo.constant dense<[0.1, 3.0, -1.0]> : tensor<3xbf16>
  // CHECK: c64[2] constant({(1.5, -0.0), (0, 2)})
  %4 = stablehlo.constant dense<[(1.5, -0.0), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  // CHECK: u64[2] constant({18446744073709551615, 0})
  %5 = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
  // One element for all.
  // CHECK: [[C:constant.[0-9]+]] = f32[] constant(7)
  // CHECK: f32[3,4] broadcast([[C]]), dimensions={}
  %6 = stablehlo.constant dense<7.0> : tensor<3x4xf32>
  // CHECK: f64[2] constant({0.1, 1e+300})
  %7 = stablehlo.constant dense<[0.1, 1.0e300]> : tensor<2xf64>
  // CHECK: f32[1] constant({2.5})
  %8 = stablehlo.constant dense<2.5> : tensor<1xf32>
  // CHECK: s8[0,2] constant({  })
  %9 = stablehlo.constant dense<> : tensor<0x2xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<8xf32>, tensor<2x2xi32>, tensor<2xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<2xui64>, tensor<3x4xf32>, tensor<2xf64>, tensor<1xf32>, tensor<0x2xi8>
}
