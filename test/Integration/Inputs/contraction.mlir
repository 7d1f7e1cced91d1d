// Dots, convolutions and ops with a scalar body.
module @contraction {
  func.func public @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>,
      %m: tensor<4x8xf32>, %v: tensor<8xf32>, %im: tensor<2x9x8x4xf32>,
      %k: tensor<3x2x2x6xf32>, %s: tensor<2x4x4x4xf32>) ->
      (tensor<2x4x3xf32>, tensor<4xf32>, tensor<2x5x6x6xf32>, tensor<4xf32>,
       tensor<4xi32>, tensor<2x4x4x4xf32>, tensor<2x9x8x4xf32>, tensor<4x8xf32>,
       tensor<4x8xi32>, tensor<4x8xf32>) {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
    %1 = stablehlo.dot %m, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
    %2 = stablehlo.convolution(%im, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [-1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x8x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x5x6x6xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %index = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %3:2 = stablehlo.reduce(%m init: %low), (%index init: %none) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
      %r1 = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %r0, %r1 : tensor<f32>, tensor<i32>
    }
    %4 = "stablehlo.reduce_window"(%im, %zero) <{padding = dense<[[0, 0], [0, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<2x9x8x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %5 = "stablehlo.select_and_scatter"(%im, %s, %zero) <{padding = dense<[[0, 0], [0, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %r : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<2x9x8x4xf32>, tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x9x8x4xf32>
    %6:2 = "stablehlo.sort"(%m, %index) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
      %r = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %r : tensor<i1>
    }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    %7 = "stablehlo.map"(%m, %6#0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %three = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %r0 = stablehlo.multiply %x, %three : tensor<f32>
      %r1 = stablehlo.subtract %r0, %y : tensor<f32>
      stablehlo.return %r1 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1, %2, %3#0, %3#1, %4, %5, %6#0, %6#1, %7
        : tensor<2x4x3xf32>, tensor<4xf32>, tensor<2x5x6x6xf32>, tensor<4xf32>,
          tensor<4xi32>, tensor<2x4x4x4xf32>, tensor<2x9x8x4xf32>,
          tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xf32>
  }
}
