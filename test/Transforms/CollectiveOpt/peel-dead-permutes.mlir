// RUN: partita-opt %s --spmd-peel-dead-permutes | FileCheck %s
// RUN: partita-opt %s --spmd-peel-dead-permutes=max-ops=3 --remarks-filter=collectives 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: remark: [Missed] NotPeeled | Category:collectives | Reason="the last trip would save 1 launches and 16 bytes, but the body has 6 ops, at most 3 may be copied"

spmd.mesh @m = <["x"=2, "y"=3]>

// A ring of three trips: two in the loop, each with its permute, and the last one
// behind it, without.
// CHECK-LABEL: func @ring
func.func @ring(%x: tensor<4xf32>, %acc: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[W:.*]]:3 = stablehlo.while
  // CHECK: %[[N:.*]] = stablehlo.constant dense<2> : tensor<i32>
  // CHECK: stablehlo.compare LT, %{{.*}}, %[[N]]
  // CHECK: spmd.permute
  // CHECK: }
  // CHECK-NOT: spmd.permute
  // CHECK: %[[T:.*]] = stablehlo.tanh %[[W]]#1
  // CHECK: %[[S:.*]] = stablehlo.add %[[W]]#2, %[[T]]
  // CHECK-NOT: spmd.permute
  // CHECK: return %[[S]]
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %a = %acc) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    %s = stablehlo.add %a, %t : tensor<4xf32>
    %u = spmd.permute %v {"y"} shift = [1] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %u, %s : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#2 : tensor<4xf32>
}

// Counting down by two, with >=: six trips become five.
// CHECK-LABEL: func @down
// CHECK: stablehlo.constant dense<2> : tensor<i32>
// CHECK: stablehlo.compare GE
func.func @down(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:3 = stablehlo.while(%i = %ten, %v = %x, %a = %x) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.subtract %i, %two : tensor<i32>
    %s = stablehlo.add %a, %v : tensor<4xf32>
    %u = spmd.permute %v {"y"} shift = [1] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %u, %s : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#2 : tensor<4xf32>
}

// What went round once more is read after the loop.
// CHECK-LABEL: func @read_later
// CHECK: %[[W:.*]]:2 = stablehlo.while
// CHECK: stablehlo.constant dense<3> : tensor<i32>
// CHECK: return %[[W]]#1
func.func @read_later(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    %u = spmd.permute %t {"y"} shift = [1] wrap on @m : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %u : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
