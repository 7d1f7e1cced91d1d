// RUN: partita-opt %s --spmd-split-collectives | FileCheck %s
// RUN: partita-opt %s --spmd-split-collectives --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

spmd.mesh @m = <["x"=2, "y"=3]>

// The sum of %0 is read by the add: two dots run beside it. The gather waits for
// the add and is read at once: nothing hides it.
// REMARK: remark: [Missed] NotSplit | Category:collectives | Reason="spmd.all_gather is waited for
// REMARK: remark: [Passed] Split | Category:collectives | Reason="spmd.all_reduce runs beside other work: {{.*}} us are hidden
// CHECK-LABEL: func @main
func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK: %[[T:.*]] = stablehlo.tanh %arg0
  // CHECK-NEXT: %[[F:.*]] = spmd.start (%[[T]]) (%[[A:.*]]: tensor<1024x1024xf32>) {
  // CHECK-NEXT:   %[[S:.*]] = spmd.all_reduce add %[[A]] {"y"} on @m
  // CHECK-NEXT:   spmd.return %[[S]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general
  // CHECK-NEXT: %[[E:.*]] = stablehlo.dot_general
  // CHECK-NEXT: %[[R:.*]] = spmd.done %[[F]] : <tensor<1024x1024xf32>> -> tensor<1024x1024xf32>
  // CHECK-NEXT: stablehlo.add %[[E]], %[[R]]
  // CHECK-NEXT: stablehlo.slice
  // CHECK-NEXT: spmd.all_gather
  %0 = stablehlo.tanh %a : tensor<1024x1024xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %3 = spmd.all_reduce add %0 {"y"} on @m : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %4 = stablehlo.add %2, %3 : tensor<1024x1024xf32>
  %c = stablehlo.slice %4 [0:512, 0:1024] : (tensor<1024x1024xf32>) -> tensor<512x1024xf32>
  %5 = spmd.all_gather %c [{"x"}, {}] on @m : (tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  %6 = stablehlo.add %5, %4 : tensor<1024x1024xf32>
  return %6 : tensor<1024x1024xf32>
}

// A gather does not start before it must: the last dot takes longer than it.
// CHECK-LABEL: func @gather_late
// CHECK: stablehlo.dot_general
// CHECK: spmd.start
// CHECK: stablehlo.dot_general
// CHECK: spmd.done
func.func @gather_late(%b: tensor<1024x1024xf32>, %c: tensor<32xf32>) -> (tensor<1024x1024xf32>, tensor<64xf32>) {
  %5 = spmd.all_gather %c [{"x"}] on @m : (tensor<32xf32>) -> tensor<64xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %2, %5 : tensor<1024x1024xf32>, tensor<64xf32>
}

// One dot hides one collective: of two chained ones the later is hidden and the
// earlier ends before the later starts.
// CHECK-LABEL: func @chained
// CHECK: spmd.all_reduce add %arg0
// CHECK: spmd.start
// CHECK: spmd.all_reduce max
// CHECK: stablehlo.dot_general
// CHECK: spmd.done
func.func @chained(%a: tensor<256xf32>, %b: tensor<512x512xf32>) -> (tensor<256xf32>, tensor<512x512xf32>) {
  %0 = spmd.all_reduce add %a {"y"} on @m : (tensor<256xf32>) -> tensor<256xf32>
  %1 = spmd.all_reduce max %0 {"y"} on @m : (tensor<256xf32>) -> tensor<256xf32>
  %2 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %1, %2 : tensor<256xf32>, tensor<512x512xf32>
}
