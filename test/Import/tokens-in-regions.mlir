// RUN: partita-opt %s --partita-to=optimized | FileCheck %s

// A token that enters and leaves a region has no layout and is no data that could differ;
// a region without results has shardings all the same.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func public @main
// CHECK-SAME: (%[[T:.*]]: !stablehlo.token, %[[A:.*]]: tensor<8xi32>
func.func public @main(%t: !stablehlo.token, %a: tensor<16xi32>) -> (!stablehlo.token, tensor<16xi32>) {
  // CHECK: %[[U:.*]] = stablehlo.custom_call @first(%[[T]], %[[A]])
  %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x", ?}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x", ?}]>] manual_axes={"x"} (%u: !stablehlo.token, %b: tensor<8xi32>) {
    // CHECK: stablehlo.custom_call @second
    %1 = sdy.manual_computation(%u, %b) in_shardings=[<@mesh, []>, <@mesh, [{?}]>] out_shardings=[<@mesh, []>] manual_axes={"y"} (%v: !stablehlo.token, %c: tensor<8xi32>) {
      %2 = stablehlo.custom_call @first(%v, %c) {has_side_effect = true} : (!stablehlo.token, tensor<8xi32>) -> !stablehlo.token
      sdy.return %2 : !stablehlo.token
    } : (!stablehlo.token, tensor<8xi32>) -> !stablehlo.token
    sdy.manual_computation(%b) in_shardings=[<@mesh, [{?}]>] out_shardings=[] manual_axes={"y"} (%c: tensor<8xi32>) {
      stablehlo.custom_call @second(%c) {has_side_effect = true} : (tensor<8xi32>) -> ()
      sdy.return
    } : (tensor<8xi32>) -> ()
    sdy.return %1, %b : !stablehlo.token, tensor<8xi32>
  } : (!stablehlo.token, tensor<16xi32>) -> (!stablehlo.token, tensor<16xi32>)
  // CHECK: return %[[U]], %[[A]]
  return %0#0, %0#1 : !stablehlo.token, tensor<16xi32>
}
