// to=lowered for each target; unknown targets and chips are refused.
// RUN: partita-opt %s --partita="to=lowered" | FileCheck %s --check-prefix=CPU
// RUN: partita-opt %s --partita="to=lowered target=cpu" | FileCheck %s --check-prefix=CPU
// RUN: partita-opt %s --partita="to=lowered target=nvptx chip=sm_80" | FileCheck %s --check-prefixes=GPU,SM80
// RUN: partita-opt %s --partita="to=lowered target=nvptx" | FileCheck %s --check-prefixes=GPU,SM90
// RUN: not partita-opt %s --partita="to=lowered target=riscv" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not partita-opt %s --partita="to=lowered target=nvptx chip=sm_42" 2>&1 | FileCheck %s --check-prefix=CHIP

// CPU-NOT: spmd.
// CPU-NOT: gpu.
// CPU: llvm.func @main

// GPU-NOT: spmd.
// SM80: gpu.module {{.*}}#nvvm.target<{{.*}}chip = "sm_80"
// SM90: gpu.module {{.*}}#nvvm.target<{{.*}}chip = "sm_90"
// GPU: llvm.func {{.*}}nvvm.kernel
// GPU: llvm.func @main
// GPU: llvm.call @partita_launch

// TARGET: error: {{.*}}unknown target 'riscv'
// TARGET: fix: use cpu or nvptx
// CHIP: error: {{.*}}unknown chip 'sm_42'
// CHIP: fix: use sm_80, sm_86, sm_89, sm_90 or sm_90a

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
