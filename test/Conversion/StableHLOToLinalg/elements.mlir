// RUN: partita-opt --convert-stablehlo-to-linalg %s | FileCheck %s

// Narrow floats lie in bytes and are computed on as f32.
// CHECK-LABEL: func.func @f8(
// CHECK-SAME: tensor<4xi8> {{.*}}tensor<4xi8> {{.*}}) -> tensor<4xi8>
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @f8(%a: tensor<4xf8E5M2>, %b: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %0 = stablehlo.add %a, %b : tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// The bits of -2 and 1.5.
// CHECK-LABEL: func.func @constant
// CHECK: arith.constant dense<[-64, 62]> : tensor<2xi8>
func.func @constant() -> tensor<2xf8E5M2> {
  %0 = stablehlo.constant dense<[-2.0, 1.5]> : tensor<2xf8E5M2>
  return %0 : tensor<2xf8E5M2>
}

// Integers of four bits wrap at four.
// CHECK-LABEL: func.func @i4
// CHECK: arith.trunci %{{.*}} : i8 to i4
// CHECK: arith.muli %{{.*}} : i4
// CHECK: arith.extsi %{{.*}} : i4 to i8
func.func @i4(%a: tensor<4xi4>) -> tensor<4xi4> {
  %0 = stablehlo.multiply %a, %a : tensor<4xi4>
  return %0 : tensor<4xi4>
}

// A map is a chain of elementwise ops on whole tensors.
// CHECK-LABEL: func.func @map
// CHECK: math.sin
// CHECK: spmd.runtime_call "partita_elementwise"
func.func @map(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.sine %x : tensor<f32>
    %2 = chlo.lgamma %1 : tensor<f32> -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
