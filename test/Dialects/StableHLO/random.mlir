// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// CHECK-LABEL: func @random
func.func @random(%a: tensor<f32>, %s: tensor<2xui64>, %i: tensor<4xui32>) {
  %shape = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
  // CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x5xf32>
  %0 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x5xf32>
  // CHECK-NEXT: %output_state, %output = stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
  %1:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
  // CHECK-NEXT: stablehlo.rng_bit_generator %{{.*}}, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xf32>)
  %2:2 = stablehlo.rng_bit_generator %i, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xf32>)
  return
}
