// A call with effects that one device runs: operands are gathered, the call stands in a
// branch that only that device takes, and all devices get its results.
// RUN: partita-opt %s --partita="to=partitioned uneven-io=pad" | FileCheck %s
// RUN: partita-opt %s --partita="to=partitioned uneven-io=pad" --remarks-filter=placement -o /dev/null 2>&1 | FileCheck %s --check-prefix=GATHERED
// RUN: partita-run %s --partita="uneven-io=pad" --compare=exact
// RUN: partita-run %s --partita="uneven-io=pad" --compare=unsharded --engine=eval
// RUN: sed 's/"y"=3\]/"y"=3], device_ids=[3, 5, 0, 4, 1, 2]/' %s > %t.mlir
// RUN: partita-opt %t.mlir --partita="to=partitioned uneven-io=pad" | FileCheck %s --check-prefix=ORDER
// RUN: partita-run %t.mlir --partita="uneven-io=pad" --compare=exact
// RUN: sed 's/@annotate_device_placement/@mine/' %s | partita-translate --spmd-to-manual --partita="uneven-io=pad" - | FileCheck %s --check-prefix=MANUAL
// RUN: sed 's/@annotate_device_placement/@mine/' %s | partita-translate --spmd-to-hlo --partita="uneven-io=pad" - | FileCheck %s --check-prefix=HLO

sdy.mesh @mesh = <["x"=2, "y"=3]>
sdy.mesh @maximal_mesh_4 = <[], device_ids=[4]>

// GATHERED: GatheredDimension{{.*}}stablehlo.custom_call: dimension 0 of operand #0 is gathered on each device

// CHECK-LABEL: func.func @main
// CHECK:       %[[WHOLE:.*]] = spmd.all_gather
// CHECK:       %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
// CHECK:       %[[FOUR:.*]] = stablehlo.constant dense<4> : tensor<ui32>
// CHECK:       %[[IS:.*]] = stablehlo.compare EQ, %[[ID]], %[[FOUR]]
// CHECK:       %[[R:.*]] = "stablehlo.if"(%[[IS]]) ({
// CHECK-NEXT:    %[[CALL:.*]] = stablehlo.custom_call @annotate_device_placement({{.*}}) {has_side_effect = true, spmd.each_device} : (tensor<7x5xf32>) -> tensor<7x5xf32>
// CHECK-NEXT:    stablehlo.return %[[CALL]]
// CHECK:       }, {
// CHECK:         stablehlo.return
// CHECK:       spmd.broadcast %[[R]] {"x", "y"} root = 4 on @mesh : tensor
// ORDER:       spmd.broadcast %{{.*}} {"x", "y"} root = 3 on @mesh
// MANUAL:      "stablehlo.if"
// MANUAL:      stablehlo.custom_call @mine({{.*}}) {has_side_effect = true} :
// HLO:         conditional(
func.func @main(%a: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_4, []>]>} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
