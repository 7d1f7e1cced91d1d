// f64 rounds once on its way to narrow floats: ties of the narrow format with a little more in the bits that f32 lacks.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal (floats, max |difference| 0.0

func.func @main(%x: tensor<9xf64>) -> (tensor<9xbf16>, tensor<9xf16>, tensor<9xf8E5M2>, tensor<9xbf16>) {
  %c = stablehlo.constant dense<[1.00390625000001, 1.00390624999999, -1.00048828125001, 1.12500000000001, -1.12499999999999, 1.0e300, -3.4028235677973366e38, 1.0e-300, 0x7FF8000000000000]> : tensor<9xf64>
  %0 = stablehlo.convert %c : (tensor<9xf64>) -> tensor<9xbf16>
  %1 = stablehlo.convert %c : (tensor<9xf64>) -> tensor<9xf16>
  %2 = stablehlo.convert %c : (tensor<9xf64>) -> tensor<9xf8E5M2>
  %3 = stablehlo.convert %x : (tensor<9xf64>) -> tensor<9xbf16>
  return %0, %1, %2, %3 : tensor<9xbf16>, tensor<9xf16>, tensor<9xf8E5M2>, tensor<9xbf16>
}
