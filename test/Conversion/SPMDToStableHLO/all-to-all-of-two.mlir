// An all_to_all between two devices as a permute of the half that each gives
// away, where that costs less on the machine.
// RUN: partita-opt %s --convert-spmd-to-stablehlo="machine=cpu,all_to_all-link=1e9" | FileCheck %s
// RUN: partita-opt %s --convert-spmd-to-stablehlo="machine=cpu,permute-launch=1e-3,all_to_all-link=1e9" | FileCheck %s --check-prefix=LAUNCH
// RUN: partita-opt %s --convert-spmd-to-stablehlo | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --convert-spmd-to-stablehlo=machine=tpu-v5e | FileCheck %s --check-prefix=NONE
// RUN: not partita-opt %s --convert-spmd-to-stablehlo=machine=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// NONE-COUNT-3: "stablehlo.all_to_all"
// UNKNOWN: error: unknown machine 'abacus'

spmd.mesh @m = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @swap
func.func @swap(%arg0: tensor<6x10xf32>) -> tensor<3x20xf32> {
  // CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} -> tensor<i32>
  // CHECK: %[[OWN:.*]] = stablehlo.multiply %[[X]], %{{.*}}
  // CHECK: %[[OTHER:.*]] = stablehlo.subtract %{{.*}}, %[[OWN]]
  // CHECK: %[[GIVEN:.*]] = stablehlo.dynamic_slice %arg0, %[[OTHER]], %{{.*}}, sizes = [3, 10]
  // CHECK: %[[GOT:.*]] = "stablehlo.collective_permute"(%[[GIVEN]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 4], [4, 0], [1, 5], [5, 1], [2, 6], [6, 2], [3, 7], [7, 3]]>
  // CHECK: %[[KEPT:.*]] = stablehlo.dynamic_slice %arg0, %[[OWN]], %{{.*}}, sizes = [3, 10]
  // CHECK: %[[FIRST:.*]] = stablehlo.compare EQ, %[[X]], %{{.*}}
  // CHECK: %[[A:.*]] = stablehlo.select %[[FIRST]], %[[KEPT]], %[[GOT]]
  // CHECK: %[[B:.*]] = stablehlo.select %[[FIRST]], %[[GOT]], %[[KEPT]]
  // CHECK: stablehlo.concatenate %[[A]], %[[B]], dim = 1
  // LAUNCH-LABEL: func.func @swap
  // LAUNCH: "stablehlo.all_to_all"
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0] on @m : (tensor<6x10xf32>) -> tensor<3x20xf32>
  return %0 : tensor<3x20xf32>
}

// A part of an axis has two devices as well; here the permute is worth its launch.
// CHECK-LABEL: func.func @part
// LAUNCH-LABEL: func.func @part
func.func @part(%arg0: tensor<4096x4096xf32>) -> tensor<2048x8192xf32> {
  // CHECK: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: dense<[[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4], [6, 7], [7, 6]]>
  // LAUNCH: "stablehlo.collective_permute"
  %0 = spmd.all_to_all %arg0 [{"y":(2)2}: 1 -> 0] on @m : (tensor<4096x4096xf32>) -> tensor<2048x8192xf32>
  return %0 : tensor<2048x8192xf32>
}

// Four devices: none.
// CHECK-LABEL: func.func @four
func.func @four(%arg0: tensor<8x8xf32>) -> tensor<2x32xf32> {
  // CHECK: "stablehlo.all_to_all"
  %0 = spmd.all_to_all %arg0 [{"y"}: 1 -> 0] on @m : (tensor<8x8xf32>) -> tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}
