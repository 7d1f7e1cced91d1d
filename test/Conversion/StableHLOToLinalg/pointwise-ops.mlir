// Each op of one element at a time as machine code.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>, %i: tensor<7xi32>, %j: tensor<7xi32>)
    -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xi1>, tensor<7xi1>, tensor<7xi1>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>,
      tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xf32>, tensor<7xcomplex<f32>>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %a = chlo.square %x : tensor<7xf32> -> tensor<7xf32>
  %one = stablehlo.constant dense<1.0> : tensor<7xf32>
  %p = stablehlo.add %a, %one : tensor<7xf32>
  %b = stablehlo.compare LT, %x, %y, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  %r0 = stablehlo.abs %x : tensor<7xf32>
  %r1 = stablehlo.cbrt %x : tensor<7xf32>
  %r2 = stablehlo.ceil %x : tensor<7xf32>
  %r3 = stablehlo.cosine %x : tensor<7xf32>
  %r4 = stablehlo.exponential %x : tensor<7xf32>
  %r5 = stablehlo.exponential_minus_one %x : tensor<7xf32>
  %r6 = stablehlo.floor %x : tensor<7xf32>
  %r7 = stablehlo.log %x : tensor<7xf32>
  %r8 = stablehlo.log_plus_one %x : tensor<7xf32>
  %r9 = stablehlo.logistic %x : tensor<7xf32>
  %r10 = stablehlo.negate %x : tensor<7xf32>
  %r11 = stablehlo.round_nearest_afz %x : tensor<7xf32>
  %r12 = stablehlo.round_nearest_even %x : tensor<7xf32>
  %r13 = stablehlo.rsqrt %x : tensor<7xf32>
  %r14 = stablehlo.sign %x : tensor<7xf32>
  %r15 = stablehlo.sine %x : tensor<7xf32>
  %r16 = stablehlo.sqrt %x : tensor<7xf32>
  %r17 = stablehlo.tan %x : tensor<7xf32>
  %r18 = chlo.acos %x : tensor<7xf32> -> tensor<7xf32>
  %r19 = chlo.acosh %x : tensor<7xf32> -> tensor<7xf32>
  %r20 = chlo.asin %x : tensor<7xf32> -> tensor<7xf32>
  %r21 = chlo.asinh %x : tensor<7xf32> -> tensor<7xf32>
  %r22 = chlo.atan %x : tensor<7xf32> -> tensor<7xf32>
  %r23 = chlo.atanh %x : tensor<7xf32> -> tensor<7xf32>
  %r24 = chlo.bessel_i1e %x : tensor<7xf32> -> tensor<7xf32>
  %r25 = chlo.cosh %x : tensor<7xf32> -> tensor<7xf32>
  %r26 = chlo.digamma %x : tensor<7xf32> -> tensor<7xf32>
  %r27 = chlo.erf %x : tensor<7xf32> -> tensor<7xf32>
  %r28 = chlo.erf_inv %x : tensor<7xf32> -> tensor<7xf32>
  %r29 = chlo.erfc %x : tensor<7xf32> -> tensor<7xf32>
  %r30 = chlo.lgamma %x : tensor<7xf32> -> tensor<7xf32>
  %r31 = chlo.sinh %x : tensor<7xf32> -> tensor<7xf32>
  %r32 = chlo.square %x : tensor<7xf32> -> tensor<7xf32>
  %r33 = chlo.tan %x : tensor<7xf32> -> tensor<7xf32>
  %r34 = chlo.is_inf %x : tensor<7xf32> -> tensor<7xi1>
  %r35 = chlo.is_neg_inf %x : tensor<7xf32> -> tensor<7xi1>
  %r36 = stablehlo.is_finite %x : (tensor<7xf32>) -> tensor<7xi1>
  %r37 = stablehlo.atan2 %x, %y : tensor<7xf32>
  %r38 = stablehlo.minimum %x, %y : tensor<7xf32>
  %r39 = stablehlo.remainder %x, %y : tensor<7xf32>
  %r40 = chlo.polygamma %p, %y : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  %r41 = chlo.zeta %p, %y : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  %r42 = stablehlo.and %i, %j : tensor<7xi32>
  %r43 = stablehlo.or %i, %j : tensor<7xi32>
  %r44 = stablehlo.xor %i, %j : tensor<7xi32>
  %r45 = stablehlo.shift_left %i, %j : tensor<7xi32>
  %r46 = stablehlo.shift_right_arithmetic %i, %j : tensor<7xi32>
  %r47 = stablehlo.shift_right_logical %i, %j : tensor<7xi32>
  %r48 = stablehlo.not %i : tensor<7xi32>
  %r49 = stablehlo.popcnt %i : tensor<7xi32>
  %r50 = stablehlo.count_leading_zeros %i : tensor<7xi32>
  %r51 = stablehlo.select %b, %x, %y : tensor<7xi1>, tensor<7xf32>
  %r52 = stablehlo.complex %x, %y : tensor<7xcomplex<f32>>
  %r53 = stablehlo.imag %r52 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
  %r54 = chlo.constant dense<2.0> : tensor<7xf32>
  %r55 = "chlo.constant_like"(%x) <{value = 2.5 : f32}> : (tensor<7xf32>) -> tensor<7xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
      %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
      %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23,
      %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31,
      %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39,
      %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47,
      %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55
      : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xi1>, tensor<7xi1>, tensor<7xi1>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>,
      tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>,
      tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xf32>, tensor<7xcomplex<f32>>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
