// A value without elements, as argument and result.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%a: tensor<2x0x3xf32>) -> tensor<2x0x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<2x0x3xf32>
  return %0 : tensor<2x0x3xf32>
}
