// argmax and argmin along rows give what folding pairs gives: ties take the least index, the initial pair takes part, NaN wins.
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded | FileCheck %s
// CHECK: equal
// RUN: partita-opt %s --convert-stablehlo-to-linalg | FileCheck %s --check-prefix=LINALG
// LINALG: arith.maximumf
// LINALG: arith.minsi

func.func @main(%x: tensor<5x40xf32>, %k: tensor<3x2x20xi32>) -> (tensor<5xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5xi32>, tensor<2xi32>, tensor<2xi32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %at = stablehlo.iota dim = 1 : tensor<5x40xi32>
  // Rounding makes ties; the root of negative numbers makes NaN in some rows.
  %r = stablehlo.round_nearest_even %x : tensor<5x40xf32>
  %0:2 = stablehlo.reduce(%r init: %least), (%at init: %zero) across dimensions = [1] : (tensor<5x40xf32>, tensor<5x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %e, %s : tensor<i1>
    %u = stablehlo.or %o, %t : tensor<i1>
    %v = stablehlo.select %o, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %u, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %two = stablehlo.constant dense<2.0> : tensor<5x40xf32>
  %high = stablehlo.add %x, %two : tensor<5x40xf32>
  %root = stablehlo.sqrt %high : tensor<5x40xf32>
  %1:2 = stablehlo.reduce(%root init: %least), (%at init: %zero) across dimensions = [1] : (tensor<5x40xf32>, tensor<5x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %e, %s : tensor<i1>
    %u = stablehlo.or %o, %t : tensor<i1>
    %v = stablehlo.select %o, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %u, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  // Two dimensions, integers, and an initial pair that wins in one of the two cases.
  %place = stablehlo.iota dim = 2 : tensor<3x2x20xi32>
  %most = stablehlo.constant dense<2147483647> : tensor<i32>
  %low = stablehlo.constant dense<-100> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %2:2 = stablehlo.reduce(%k init: %most), (%place init: %zero) across dimensions = [0, 2] : (tensor<3x2x20xi32>, tensor<3x2x20xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %e, %s : tensor<i1>
    %u = stablehlo.or %o, %t : tensor<i1>
    %v = stablehlo.select %o, %a, %b : tensor<i1>, tensor<i32>
    %w = stablehlo.select %u, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<i32>, tensor<i32>
  }
  %3:2 = stablehlo.reduce(%k init: %low), (%place init: %seven) across dimensions = [0, 2] : (tensor<3x2x20xi32>, tensor<3x2x20xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %e, %s : tensor<i1>
    %u = stablehlo.or %o, %t : tensor<i1>
    %v = stablehlo.select %o, %a, %b : tensor<i1>, tensor<i32>
    %w = stablehlo.select %u, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1, %1#0, %1#1, %2#1, %3#1 : tensor<5xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5xi32>, tensor<2xi32>, tensor<2xi32>
}
