// RUN: partita-opt --spmd-remove-dead-ops %s | FileCheck %s

// What has an effect stays, though nobody reads its result.
// CHECK-LABEL: func.func @effects
// CHECK-NEXT: %[[TOKEN:.*]] = stablehlo.after_all
// CHECK-NEXT: stablehlo.outfeed
// CHECK-NEXT: return
func.func @effects(%a: tensor<8xf32>) {
  %token = stablehlo.after_all : !stablehlo.token
  %0 = "stablehlo.outfeed"(%a, %token) : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
