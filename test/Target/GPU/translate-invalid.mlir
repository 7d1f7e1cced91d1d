// RUN: not partita-translate --spmd-to-ptx --chip=sm_7x %s 2>&1 | FileCheck %s
// CHECK: error: unknown chip 'sm_7x'
// CHECK: note: fix: use chip=sm_80 or sm_90
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
