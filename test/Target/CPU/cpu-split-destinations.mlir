// RUN: partita-opt --cpu-split-destinations --allow-unregistered-dialect %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[E0:.*]] = tensor.empty()
// CHECK: %[[F0:.*]] = linalg.fill {{.*}} outs(%[[E0]]
// CHECK: "use"(%[[F0]])
// CHECK: %[[E1:.*]] = tensor.empty()
// CHECK: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK: "use"(%[[F1]])
func.func @main(%zero: f32) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  "use"(%f) : (tensor<4xf32>) -> ()
  "use"(%f) : (tensor<4xf32>) -> ()
  return
}
