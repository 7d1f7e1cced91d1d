// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of elementwise ops: one type when all agree, a function type otherwise.

// CHECK-LABEL: func @unary
func.func @unary(%i: tensor<4xi32>, %f: tensor<4xf32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK-NEXT: stablehlo.abs %{{.*}} : tensor<4xi32>
  %0 = stablehlo.abs %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.abs %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.ceil %{{.*}} : tensor<4xf32>
  %2 = stablehlo.ceil %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.count_leading_zeros %{{.*}} : tensor<4xi32>
  %3 = stablehlo.count_leading_zeros %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xi32>) -> tensor<4xf32>
  %4 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.convert %{{.*}} : tensor<4xi32>
  %5 = stablehlo.convert %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.floor %{{.*}} : tensor<4xf32>
  %6 = stablehlo.floor %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.imag %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %7 = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.real %{{.*}} : tensor<4xf32>
  %8 = stablehlo.real %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.is_finite %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %9 = stablehlo.is_finite %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.negate %{{.*}} : tensor<4xf32>
  %10 = stablehlo.negate %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.not %{{.*}} : tensor<4xi32>
  %11 = stablehlo.not %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.popcnt %{{.*}} : tensor<4xi32>
  %12 = stablehlo.popcnt %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.round_nearest_afz %{{.*}} : tensor<4xf32>
  %13 = stablehlo.round_nearest_afz %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.round_nearest_even %{{.*}} : tensor<4xf32>
  %14 = stablehlo.round_nearest_even %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sign %{{.*}} : tensor<4xf32>
  %15 = stablehlo.sign %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4xf32>
  %16 = stablehlo.reduce_precision %f, format = e5m10 : tensor<4xf32>
  return
}

// An accuracy that is the default is not printed.
// CHECK-LABEL: func @functions
func.func @functions(%f: tensor<4xf32>) {
  // CHECK-NEXT: stablehlo.cbrt %{{.*}} : tensor<4xf32>
  %0 = stablehlo.cbrt %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  // CHECK-NEXT: stablehlo.cosine %{{.*}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %1 = stablehlo.cosine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  // CHECK-NEXT: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-04, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %2 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 1.0e-4, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK-NEXT: stablehlo.exponential_minus_one %{{.*}} : tensor<4xf32>
  %3 = stablehlo.exponential_minus_one %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.log %{{.*}} : tensor<4xf32>
  %4 = stablehlo.log %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.log_plus_one %{{.*}} : tensor<4xf32>
  %5 = stablehlo.log_plus_one %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.logistic %{{.*}} : tensor<4xf32>
  %6 = stablehlo.logistic %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.rsqrt %{{.*}} : tensor<4xf32>
  %7 = stablehlo.rsqrt %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sine %{{.*}} : tensor<4xf32>
  %8 = stablehlo.sine %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sqrt %{{.*}} : tensor<4xf32>
  %9 = stablehlo.sqrt %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.tan %{{.*}} : tensor<4xf32>
  %10 = stablehlo.tan %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.tanh %{{.*}} : tensor<4xf32>
  %11 = stablehlo.tanh %f : tensor<4xf32>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%p: tensor<4xi1>, %i: tensor<4xi32>, %f: tensor<4xf32>, %d: tensor<?xf32>) {
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} {note = 1 : i64} : tensor<4xf32>
  %0 = stablehlo.add %f, %f {note = 1 : i64} : tensor<4xf32>
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %f, %d : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.atan2 %{{.*}}, %{{.*}} : tensor<4xf32>
  %2 = stablehlo.atan2 %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.divide
  %3 = stablehlo.divide %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.maximum
  %4 = stablehlo.maximum %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.minimum
  %5 = stablehlo.minimum %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.multiply
  %6 = stablehlo.multiply %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.power
  %7 = stablehlo.power %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.remainder
  %8 = stablehlo.remainder %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.subtract
  %9 = stablehlo.subtract %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.shift_left
  %10 = stablehlo.shift_left %i, %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.shift_right_arithmetic
  %11 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.shift_right_logical
  %12 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.and %{{.*}}, %{{.*}} : tensor<4xi1>
  %13 = stablehlo.and %p, %p : tensor<4xi1>
  // CHECK-NEXT: stablehlo.or
  %14 = stablehlo.or %p, %p : tensor<4xi1>
  // CHECK-NEXT: stablehlo.xor
  %15 = stablehlo.xor %i, %i : tensor<4xi32>
  // CHECK-NEXT: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %16 = stablehlo.complex %f, %f : tensor<4xcomplex<f32>>
  // CHECK-NEXT: stablehlo.complex %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xcomplex<f32>>
  %17 = stablehlo.complex %f, %d : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func @choices
func.func @choices(%p: tensor<4xi1>, %s: tensor<i1>, %f: tensor<4xf32>, %l: tensor<f32>, %d: tensor<?xf32>) {
  // CHECK-NEXT: stablehlo.compare LT, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %0 = stablehlo.compare LT, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.compare NE, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare NE, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %p, %f, %f : tensor<4xi1>, tensor<4xf32>
  // CHECK-NEXT: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4xf32>
  %3 = stablehlo.select %s, %f, %f : tensor<i1>, tensor<4xf32>
  // CHECK-NEXT: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %4 = stablehlo.select %p, %f, %d : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %5 = stablehlo.clamp %f, %f, %f : tensor<4xf32>
  // CHECK-NEXT: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = stablehlo.clamp %l, %f, %l : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// Elements of fewer than 8 bits, and all float formats.
// CHECK-LABEL: func @element_types
func.func @element_types(%a: tensor<i4>, %b: tensor<ui2>, %c: tensor<f8E4M3FN>, %d: tensor<bf16>, %e: tensor<f4E2M1FN>) {
  // CHECK-NEXT: stablehlo.add {{.*}} : tensor<i4>
  %0 = stablehlo.add %a, %a : tensor<i4>
  // CHECK-NEXT: stablehlo.add {{.*}} : tensor<ui2>
  %1 = stablehlo.add %b, %b : tensor<ui2>
  // CHECK-NEXT: stablehlo.add {{.*}} : tensor<f8E4M3FN>
  %2 = stablehlo.add %c, %c : tensor<f8E4M3FN>
  // CHECK-NEXT: stablehlo.add {{.*}} : tensor<bf16>
  %3 = stablehlo.add %d, %d : tensor<bf16>
  // CHECK-NEXT: stablehlo.add {{.*}} : tensor<f4E2M1FN>
  %4 = stablehlo.add %e, %e : tensor<f4E2M1FN>
  return
}
