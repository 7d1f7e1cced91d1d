// Each other op that loops or kernels compute as machine code.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%m: tensor<4x4xf32>, %v: tensor<6xf32>, %k: tensor<2xui64>, %s: tensor<i32>, %image: tensor<1x5x5x2xf32>, %w: tensor<3x3x2x4xf32>,
                %rows: tensor<6x4xf32>, %groups: tensor<2x4x3xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x3xcomplex<f32>>, tensor<2xf32>, tensor<2xi32>, tensor<6x3xf32>, tensor<1x5x5x4xf32>,
        tensor<6xui32>, tensor<3xf32>, tensor<8xf32>, tensor<12xf32>, tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4x4xf32>,
        tensor<4x4xf32>, tensor<6xf32>, tensor<i1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<4x4xf32>
  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %mm = stablehlo.dot %m, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %i0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %i1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %same = stablehlo.compare EQ, %i0, %i1, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %none = stablehlo.constant dense<0.0> : tensor<4x4xf32>
  %unit = stablehlo.select %same, %four, %none : tensor<4x4xi1>, tensor<4x4xf32>
  %positive = stablehlo.add %mm, %unit : tensor<4x4xf32>
  %0 = stablehlo.cholesky %positive, lower = true : tensor<4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %m) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @lapack_strsm_ffi(%0, %m) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.fft %m, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
  %4:2 = chlo.top_k(%v, k = 2) : tensor<6xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %sizes = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %5 = "chlo.ragged_dot"(%rows, %groups, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<2xi32>) -> tensor<6x3xf32>
  %6 = stablehlo.convolution(%image, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x5x5x4xf32>
  %state, %7 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
  %8 = stablehlo.dynamic_slice %v, %s, sizes = [3] : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
  %9 = stablehlo.pad %v, %zero, low = [1], high = [1], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  %10 = stablehlo.concatenate %v, %v, dim = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  %11 = stablehlo.broadcast %v, sizes = [2] : (tensor<6xf32>) -> tensor<2x6xf32>
  %12 = "stablehlo.case"(%s) ({
    stablehlo.return %v : tensor<6xf32>
  }, {
    %n = stablehlo.negate %v : tensor<6xf32>
    stablehlo.return %n : tensor<6xf32>
  }) : (tensor<i32>) -> tensor<6xf32>
  %first = stablehlo.reshape %zero : (tensor<f32>) -> tensor<f32>
  %less = stablehlo.compare LT, %first, %one, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %13 = "stablehlo.if"(%less) ({
    %n = stablehlo.abs %v : tensor<6xf32>
    stablehlo.return %n : tensor<6xf32>
  }, {
    stablehlo.return %v : tensor<6xf32>
  }) : (tensor<i1>) -> tensor<6xf32>
  %14 = "stablehlo.map"(%v) <{dimensions = array<i64: 0>}> ({
  ^bb0(%e: tensor<f32>):
    %q = stablehlo.multiply %e, %e : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  %15 = stablehlo.optimization_barrier %m : tensor<4x4xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %part = stablehlo.slice %m [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %16 = "stablehlo.select_and_scatter"(%m, %part, %init) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  %shape = stablehlo.constant dense<[6]> : tensor<1xi64>
  %random = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<6xf32>
  %17 = stablehlo.round_nearest_even %random : tensor<6xf32>
  %18 = stablehlo.multiply %17, %v : tensor<6xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %after = stablehlo.after_all %token : !stablehlo.token
  return %0, %1, %2, %3, %4#0, %4#1, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %18, %less : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x3xcomplex<f32>>, tensor<2xf32>, tensor<2xi32>, tensor<6x3xf32>, tensor<1x5x5x4xf32>, tensor<6xui32>, tensor<3xf32>, tensor<8xf32>, tensor<12xf32>, tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<6xf32>, tensor<i1>
}
