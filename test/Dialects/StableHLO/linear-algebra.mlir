// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// CHECK-LABEL: func @linear_algebra
func.func @linear_algebra(%a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>) {
  // CHECK-NEXT: stablehlo.cholesky %{{.*}}, lower = true : tensor<2x4x4xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  // CHECK-NEXT: stablehlo.cholesky %{{.*}} : tensor<2x4x4xf32>
  %1 = stablehlo.cholesky %a : tensor<2x4x4xf32>
  // CHECK-NEXT: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: func @transforms
func.func @transforms(%f: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // CHECK-NEXT: stablehlo.fft %{{.*}}, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  %0 = stablehlo.fft %f, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  // CHECK-NEXT: stablehlo.fft %{{.*}}, type = IRFFT, length = [8] : (tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>
  %1 = stablehlo.fft %c, type = IRFFT, length = [8] : (tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>
  // CHECK-NEXT: stablehlo.fft %{{.*}}, type = FFT, length = [2, 5] : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  %2 = stablehlo.fft %c, type = FFT, length = [2, 5] : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  return
}

// CHECK-LABEL: func @norms
func.func @norms(%x: tensor<2x8x4xf32>, %v: tensor<4xf32>) {
  // CHECK-NEXT: %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%{{.*}}, %{{.*}}, %{{.*}}) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK-NEXT: "stablehlo.batch_norm_inference"
  %1 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x4xf32>
  // CHECK-NEXT: %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"
  %2:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x8x4xf32>) -> (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
