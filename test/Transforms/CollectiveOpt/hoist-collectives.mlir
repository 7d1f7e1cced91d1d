// RUN: partita-opt %s --spmd-hoist-collectives=memory-slack=100 | FileCheck %s
// RUN: partita-opt %s --spmd-hoist-collectives=memory-slack=0 --remarks-filter=collectives 2>&1 | FileCheck %s --check-prefix=TIGHT
// TIGHT: remark: [Missed] NotHoisted | Category:collectives | Reason="spmd.all_gather of 12 sent bytes gives the same in each trip and stays in the loop: its 24 bytes would live as long as the loop, 0 may"
// TIGHT: remark: [Missed] NotHoisted | Category:collectives | Reason="spmd.all_gather of 12 sent bytes gives the same in each trip and stays in the loop: the loop is not known to run"

spmd.mesh @m = <["x"=2, "y"=3]>

// %w is carried but never changes: what is gathered from its tanh is the same in
// each of the five trips. The sum of the accumulator is not.
// CHECK-LABEL: func @main
func.func @main(%w: tensor<3xf32>, %acc: tensor<6xf32>) -> (tensor<3xf32>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[T:.*]] = stablehlo.tanh %arg0
  // CHECK: %[[G:.*]] = spmd.all_gather %[[T]] [{"x"}]
  // CHECK: stablehlo.while
  // CHECK: do
  // CHECK-NOT: spmd.all_gather
  // CHECK: %[[S:.*]] = spmd.all_reduce add
  // CHECK: stablehlo.add %[[S]], %[[G]]
  %r:3 = stablehlo.while(%i = %zero, %v = %w, %a = %acc) : tensor<i32>, tensor<3xf32>, tensor<6xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<3xf32>
    %g = spmd.all_gather %t [{"x"}] on @m : (tensor<3xf32>) -> tensor<6xf32>
    %s = spmd.all_reduce add %a {"x"} on @m : (tensor<6xf32>) -> tensor<6xf32>
    %b = stablehlo.add %s, %g : tensor<6xf32>
    stablehlo.return %next, %v, %b : tensor<i32>, tensor<3xf32>, tensor<6xf32>
  }
  return %r#1, %r#2 : tensor<3xf32>, tensor<6xf32>
}

// How often this loop runs, if at all, depends on data.
// CHECK-LABEL: func @unknown
// CHECK: stablehlo.while
// CHECK: do
// CHECK: spmd.all_gather
func.func @unknown(%w: tensor<3xf32>, %acc: tensor<6xf32>, %p: tensor<i1>) -> tensor<6xf32> {
  %r:2 = stablehlo.while(%q = %p, %a = %acc) : tensor<i1>, tensor<6xf32>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %g = spmd.all_gather %w [{"x"}] on @m : (tensor<3xf32>) -> tensor<6xf32>
    %b = stablehlo.add %a, %g : tensor<6xf32>
    %f = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %f, %b : tensor<i1>, tensor<6xf32>
  }
  return %r#1 : tensor<6xf32>
}
