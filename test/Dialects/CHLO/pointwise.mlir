// Pointwise ops: printed to a fixed point in pretty form, in generic form and with
// locations.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -
// RUN: partita-opt %s --verify-roundtrip > /dev/null

// CHECK-LABEL: func.func @unary
func.func @unary(%arg0: tensor<8x4xf32>, %arg1: tensor<2xcomplex<f64>>, %arg2: tensor<?xbf16>) {
  // CHECK: chlo.acos %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %acos = chlo.acos %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.acosh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %acosh = chlo.acosh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.asin %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %asin = chlo.asin %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.asinh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %asinh = chlo.asinh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.atan %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %atan = chlo.atan %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.atanh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %atanh = chlo.atanh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.bessel_i1e %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %bessel_i1e = chlo.bessel_i1e %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.conj %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %conj = chlo.conj %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.cosh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %cosh = chlo.cosh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.sinh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %sinh = chlo.sinh %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.square %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %square = chlo.square %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.tan %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %tan = chlo.tan %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.digamma %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %digamma = chlo.digamma %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.erf %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %erf = chlo.erf %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.erf_inv %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %erf_inv = chlo.erf_inv %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.erfc %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %erfc = chlo.erfc %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.lgamma %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %lgamma = chlo.lgamma %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: chlo.square %arg1 : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %0 = chlo.square %arg1 : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  // CHECK: chlo._asin_acos_kernel %arg1 : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %1 = chlo._asin_acos_kernel %arg1 : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  // A size that one side does not know is compatible.
  // CHECK: chlo.erf %arg2 {note = 1 : i32} : tensor<?xbf16> -> tensor<4xbf16>
  %2 = chlo.erf %arg2 {note = 1 : i32} : tensor<?xbf16> -> tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%arg0: tensor<8x4xf32>) {
  // CHECK: chlo.is_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  %is_inf = chlo.is_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  // CHECK: chlo.is_neg_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  %is_neg_inf = chlo.is_neg_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  // CHECK: chlo.is_pos_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  %is_pos_inf = chlo.is_pos_inf %arg0 : tensor<8x4xf32> -> tensor<8x4xi1>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xui32>) {
  // CHECK: chlo.next_after %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %next_after = chlo.next_after %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: chlo.polygamma %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %polygamma = chlo.polygamma %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: chlo.zeta %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %zeta = chlo.zeta %arg0, %arg1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: chlo.mulhi %arg2, %arg2 : tensor<8xui32>, tensor<8xui32> -> tensor<8xui32>
  %mulhi = chlo.mulhi %arg2, %arg2 : tensor<8xui32>, tensor<8xui32> -> tensor<8xui32>
  return
}
