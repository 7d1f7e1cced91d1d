// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s -o /dev/null

spmd.mesh @m = <["x"=4, "y"=2, "z"=3]>

// CHECK-LABEL: func.func @annotations
func.func @annotations(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK: spmd.constraint %{{.*}} <@m, [{"x"}, {?}]> : tensor<8x6xf32>
  %0 = spmd.constraint %arg0 <@m, [{"x"}, {?}]> : tensor<8x6xf32>
  // CHECK: spmd.group %{{.*}} id = 7 : tensor<8x6xf32>
  spmd.group %0 id = 7 : tensor<8x6xf32>
  // CHECK: spmd.propagation_barrier %{{.*}} allowed = forward : tensor<8x6xf32>
  %1 = spmd.propagation_barrier %0 allowed = forward : tensor<8x6xf32>
  // CHECK: spmd.reshard %{{.*}} <@m, [{"y"}, {"z"}]> : tensor<8x6xf32>
  %2 = spmd.reshard %1 <@m, [{"y"}, {"z"}]> : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @all_manual
func.func @all_manual(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>) -> tensor<8x6xf32> {
  // CHECK: spmd.manual (%{{.*}}, %{{.*}}) in_shardings=[<@m, [{"x", "y"}, {"z"}]>, <@m, []>] out_shardings=[<@m, [{"x", "y"}, {"z"}]>] manual_axes={"x", "y", "z"}
  // CHECK-SAME: (%[[A:.*]]: tensor<1x2xf32>, %{{.*}}: tensor<i32>) {
  // CHECK-NEXT: spmd.return %[[A]] : tensor<1x2xf32>
  // CHECK-NEXT: } {other.note = 1 : i64} : (tensor<8x6xf32>, tensor<i32>) -> tensor<8x6xf32>
  %0 = spmd.manual (%arg0, %arg1)
      in_shardings=[<@m, [{"x", "y"}, {"z"}]>, <@m, []>]
      out_shardings=[<@m, [{"x", "y"}, {"z"}]>] manual_axes={"x", "y", "z"}
      (%a: tensor<1x2xf32>, %b: tensor<i32>) {
    spmd.return %a : tensor<1x2xf32>
  } {other.note = 1} : (tensor<8x6xf32>, tensor<i32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Free axes follow the manual ones and stay in the body; they may be uneven.
// CHECK-LABEL: func.func @some_manual
func.func @some_manual(%arg0: tensor<8x6xf32>) -> tensor<2x6xf32> {
  // CHECK: manual_axes={"x"} (%{{.*}}: tensor<2x6xf32>) {
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x", "z"}, {?}]>]
      out_shardings=[<@m, [{}, {"z"}]>] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    spmd.return %a : tensor<2x6xf32>
  } : (tensor<8x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @nested
func.func @nested(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = spmd.manual (%arg0) in_shardings=[<@m, [{"x"}, {}]>]
      out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<2x6xf32>) {
    // CHECK: manual_axes={"z"} (%{{.*}}: tensor<2x2xf32>) {
    %1 = spmd.manual (%a) in_shardings=[<@m, [{}, {"z"}]>]
        out_shardings=[<@m, [{}, {"z"}]>] manual_axes={"z"} (%b: tensor<2x2xf32>) {
      spmd.return %b : tensor<2x2xf32>
    } : (tensor<2x6xf32>) -> tensor<2x6xf32>
    spmd.return %1 : tensor<2x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @no_values
func.func @no_values() {
  // CHECK: spmd.manual () in_shardings=[] out_shardings=[] manual_axes={} () {
  // CHECK-NEXT: spmd.return
  // CHECK-NEXT: } : () -> ()
  spmd.manual () in_shardings=[] out_shardings=[] manual_axes={} () {
  } : () -> ()
  return
}
