// Loops that update a carried value in part, by choice, and read it before and
// after: machine code against the evaluator.
// RUN: split-file %s %t
// RUN: for f in %t/*.mlir; do partita-run $f --compare=unsharded --no-cache || echo "failed: $f"; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed < %t.out
// CHECK-COUNT-3: equal (floats

//--- chosen.mlir
// A store that happens in some trips only; the value is also read.
func.func public @main(%x: tensor<5x3xf32>, %u: tensor<1x3xf32>) -> (tensor<5x3xf32>, tensor<1x3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %a = %x, %s = %u) : tensor<i32>, tensor<5x3xf32>, tensor<1x3xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %old = stablehlo.dynamic_slice %a, %i, %c0, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %new = stablehlo.add %old, %s : tensor<1x3xf32>
    %b = stablehlo.dynamic_update_slice %a, %new, %i, %c0 : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
    %r = stablehlo.remainder %i, %c2 : tensor<i32>
    %p = stablehlo.compare EQ, %r, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = stablehlo.select %p, %b, %a : tensor<i1>, tensor<5x3xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %d, %old : tensor<i32>, tensor<5x3xf32>, tensor<1x3xf32>
  }
  return %0#1, %0#2 : tensor<5x3xf32>, tensor<1x3xf32>
}

//--- old-and-new.mlir
// One carry becomes the other's old value, which that one updates.
func.func public @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %a = %x, %b = %y) : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %b, %i, %c0, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %twice = stablehlo.add %row, %row : tensor<1x3xf32>
    %new = stablehlo.dynamic_update_slice %a, %twice, %i, %c0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %new, %a : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  return %0#1, %0#2 : tensor<4x3xf32>, tensor<4x3xf32>
}

//--- kernels.mlir
// Results of runtime kernels, carried once, twice, and traded.
func.func public @main(%x: tensor<7xf32>, %y: tensor<7xf32>, %z: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:4 = stablehlo.while(%i = %c0, %a = %x, %b = %y, %c = %z) : tensor<i32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %sum = stablehlo.subtract %a, %b : tensor<7xf32>
    %sorted = "stablehlo.sort"(%sum) <{dimension = 0 : i64}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<7xf32>) -> tensor<7xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %c, %sorted, %a : tensor<i32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
