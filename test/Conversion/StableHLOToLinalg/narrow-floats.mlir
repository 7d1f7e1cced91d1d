// All patterns of all formats of eight bits, and rounding to them.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%x: tensor<512xf32>) -> (tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>) {
  %i = stablehlo.iota dim = 0 : tensor<256xui8>
  %b0 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %d0 = stablehlo.convert %b0 : (tensor<256xf8E4M3FN>) -> tensor<256xf32>
  %e0 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E4M3FN>
  %g0 = stablehlo.bitcast_convert %e0 : (tensor<512xf8E4M3FN>) -> tensor<512xui8>
  %b1 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %d1 = stablehlo.convert %b1 : (tensor<256xf8E5M2>) -> tensor<256xf32>
  %e1 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E5M2>
  %g1 = stablehlo.bitcast_convert %e1 : (tensor<512xf8E5M2>) -> tensor<512xui8>
  %b2 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %d2 = stablehlo.convert %b2 : (tensor<256xf8E4M3>) -> tensor<256xf32>
  %e2 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E4M3>
  %g2 = stablehlo.bitcast_convert %e2 : (tensor<512xf8E4M3>) -> tensor<512xui8>
  %b3 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %d3 = stablehlo.convert %b3 : (tensor<256xf8E3M4>) -> tensor<256xf32>
  %e3 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E3M4>
  %g3 = stablehlo.bitcast_convert %e3 : (tensor<512xf8E3M4>) -> tensor<512xui8>
  %b4 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %d4 = stablehlo.convert %b4 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xf32>
  %e4 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E4M3FNUZ>
  %g4 = stablehlo.bitcast_convert %e4 : (tensor<512xf8E4M3FNUZ>) -> tensor<512xui8>
  %b5 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E5M2FNUZ>
  %d5 = stablehlo.convert %b5 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xf32>
  %e5 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E5M2FNUZ>
  %g5 = stablehlo.bitcast_convert %e5 : (tensor<512xf8E5M2FNUZ>) -> tensor<512xui8>
  %b6 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E4M3B11FNUZ>
  %d6 = stablehlo.convert %b6 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf32>
  %e6 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E4M3B11FNUZ>
  %g6 = stablehlo.bitcast_convert %e6 : (tensor<512xf8E4M3B11FNUZ>) -> tensor<512xui8>
  %b7 = stablehlo.bitcast_convert %i : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %d7 = stablehlo.convert %b7 : (tensor<256xf8E8M0FNU>) -> tensor<256xf32>
  %e7 = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xf8E8M0FNU>
  %g7 = stablehlo.bitcast_convert %e7 : (tensor<512xf8E8M0FNU>) -> tensor<512xui8>
  return %d0, %g0, %d1, %g1, %d2, %g2, %d3, %g3, %d4, %g4, %d5, %g5, %d6, %g6, %d7, %g7 : tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>, tensor<256xf32>, tensor<512xui8>
}
