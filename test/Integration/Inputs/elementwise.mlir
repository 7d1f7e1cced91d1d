// Every elementwise op that HLO text has a form for.
module @elementwise {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>,
      %i: tensor<2x3xi32>, %j: tensor<2x3xi32>, %u: tensor<4xui8>,
      %c: tensor<2xcomplex<f32>>, %s: tensor<f32>, %p: tensor<i1>) ->
      (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>,
       tensor<2xcomplex<f32>>, tensor<2xf32>, tensor<4xui8>, tensor<2x3xbf16>,
       tensor<2x3xf32>) {
    %0 = stablehlo.abs %x : tensor<2x3xf32>
    %1 = stablehlo.add %0, %y : tensor<2x3xf32>
    %2 = stablehlo.atan2 %x, %1 : tensor<2x3xf32>
    %3 = stablehlo.cbrt %2 : tensor<2x3xf32>
    %4 = stablehlo.ceil %y : tensor<2x3xf32>
    %5 = stablehlo.cosine %3 : tensor<2x3xf32>
    %6 = stablehlo.divide %5, %1 : tensor<2x3xf32>
    %7 = stablehlo.exponential %6 : tensor<2x3xf32>
    %8 = stablehlo.exponential_minus_one %7 : tensor<2x3xf32>
    %9 = stablehlo.floor %8 : tensor<2x3xf32>
    %10 = stablehlo.log %1 : tensor<2x3xf32>
    %11 = stablehlo.log_plus_one %1 : tensor<2x3xf32>
    %12 = stablehlo.logistic %10 : tensor<2x3xf32>
    %13 = stablehlo.maximum %11, %12 : tensor<2x3xf32>
    %14 = stablehlo.minimum %13, %9 : tensor<2x3xf32>
    %15 = stablehlo.multiply %14, %4 : tensor<2x3xf32>
    %16 = stablehlo.negate %15 : tensor<2x3xf32>
    %17 = stablehlo.power %1, %y : tensor<2x3xf32>
    %18 = stablehlo.remainder %17, %1 : tensor<2x3xf32>
    %19 = stablehlo.rsqrt %1 : tensor<2x3xf32>
    %20 = stablehlo.sign %16 : tensor<2x3xf32>
    %21 = stablehlo.sine %20 : tensor<2x3xf32>
    %22 = stablehlo.sqrt %1 : tensor<2x3xf32>
    %23 = stablehlo.subtract %22, %19 : tensor<2x3xf32>
    %24 = stablehlo.tan %21 : tensor<2x3xf32>
    %25 = stablehlo.tanh %23 : tensor<2x3xf32>
    %26 = stablehlo.round_nearest_afz %18 : tensor<2x3xf32>
    %27 = stablehlo.round_nearest_even %18 : tensor<2x3xf32>
    %28 = stablehlo.add %24, %25 : tensor<2x3xf32>
    %29 = stablehlo.add %26, %27 : tensor<2x3xf32>
    %30 = stablehlo.reduce_precision %28, format = e5m2 : tensor<2x3xf32>

    %k0 = stablehlo.and %i, %j : tensor<2x3xi32>
    %k1 = stablehlo.or %k0, %j : tensor<2x3xi32>
    %k2 = stablehlo.xor %k1, %i : tensor<2x3xi32>
    %k3 = stablehlo.not %k2 : tensor<2x3xi32>
    %k4 = stablehlo.popcnt %k3 : tensor<2x3xi32>
    %k5 = stablehlo.count_leading_zeros %k4 : tensor<2x3xi32>
    %k6 = stablehlo.shift_left %k5, %j : tensor<2x3xi32>
    %k7 = stablehlo.shift_right_arithmetic %k3, %j : tensor<2x3xi32>
    %k8 = stablehlo.shift_right_logical %k3, %j : tensor<2x3xi32>
    %k9 = stablehlo.add %k6, %k7 : tensor<2x3xi32>
    %k10 = stablehlo.add %k8, %k9 : tensor<2x3xi32>

    %b0 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %b1 = stablehlo.compare LE, %x, %y, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %b2 = stablehlo.is_finite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %b3 = stablehlo.xor %b0, %b1 : tensor<2x3xi1>
    %b4 = stablehlo.and %b3, %b2 : tensor<2x3xi1>
    %b5 = stablehlo.convert %i : (tensor<2x3xi32>) -> tensor<2x3xi1>
    %b6 = stablehlo.not %b5 : tensor<2x3xi1>
    %b7 = stablehlo.or %b4, %b6 : tensor<2x3xi1>

    %re = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %im = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %c0 = stablehlo.complex %im, %re : tensor<2xcomplex<f32>>
    %c1 = stablehlo.multiply %c0, %c : tensor<2xcomplex<f32>>
    %c2 = stablehlo.convert %c1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>

    %u0 = stablehlo.add %u, %u : tensor<4xui8>
    %h = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %q0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2x3xf32>
    %q1 = stablehlo.clamp %s, %q0, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %q2 = stablehlo.select %b0, %q1, %q0 : tensor<2x3xi1>, tensor<2x3xf32>
    return %30, %29, %k10, %b7, %c1, %c2, %u0, %h, %q2
        : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>,
          tensor<2xcomplex<f32>>, tensor<2xf32>, tensor<4xui8>,
          tensor<2x3xbf16>, tensor<2x3xf32>
  }
}
