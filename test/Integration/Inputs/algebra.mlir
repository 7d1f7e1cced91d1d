// Factorisations, transforms and random bits.
module @algebra {
  func.func public @main(%x: tensor<2x3x3xf32>, %b: tensor<2x3x2xf32>,
      %w: tensor<4x8xf32>, %seed: tensor<2xui32>) ->
      (tensor<2x3x3xf32>, tensor<2x3x2xf32>, tensor<4x5xcomplex<f32>>,
       tensor<4x8xf32>, tensor<2xui64>, tensor<6xui32>) {
    %key = stablehlo.convert %seed : (tensor<2xui32>) -> tensor<2xui64>
    %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %0 = stablehlo.dot_general %x, %t, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
    %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
    %e = stablehlo.compare EQ, %i, %j : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
    %d = stablehlo.convert %e : (tensor<2x3x3xi1>) -> tensor<2x3x3xf32>
    %spd = stablehlo.add %0, %d : tensor<2x3x3xf32>
    %1 = stablehlo.cholesky %spd, lower = true : tensor<2x3x3xf32>
    %2 = "stablehlo.triangular_solve"(%1, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %3 = stablehlo.fft %w, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
    %4 = stablehlo.fft %3, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
    %7:2 = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    return %1, %2, %3, %4, %7#0, %7#1
        : tensor<2x3x3xf32>, tensor<2x3x2xf32>, tensor<4x5xcomplex<f32>>,
          tensor<4x8xf32>, tensor<2xui64>, tensor<6xui32>
  }
}
