// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @cholesky(%a: tensor<2x4x5xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op needs square matrices in a, but dimension 1 has size 4 and dimension 2 size 5}}
  %0 = stablehlo.cholesky %a : tensor<2x4x5xf32>
  return
}

// -----

func.func @solve(%a: tensor<4x4xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op solves systems of size 4, but dimension 0 of b has size 3}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @fft_length(%c: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op FFT of fft_length 4 takes size 4 in dimension 0, but the operand has 8}}
  %0 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @fft_real(%f: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op FFT takes complex elements, not 'f32'}}
  %0 = stablehlo.fft %f, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @rfft_result(%f: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op has result 0 of size 8 in dimension 0, but its operands make size 5}}
  %0 = stablehlo.fft %f, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @norm(%x: tensor<2x8x4xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op offset has size 3, but dimension 2 of the operand, the features, has size 4}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %w) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
