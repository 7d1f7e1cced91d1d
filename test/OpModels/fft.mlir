// RUN: partita-opt %s --spmd-print-sharding-rules -o /dev/null | FileCheck %s --check-prefix=RULE
// RUN: partita-opt %s --spmd-verify-placed --spmd-partition --spmd-verify-partitioned --cse | FileCheck %s --check-prefix=PART
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact

// Batches are parallel, transformed dimensions whole; a real transform passes no
// sharding along its last one.

spmd.mesh @m = <["x"=2, "y"=3]>
#x_n = #spmd.sharding<@m, [{"x"}, {}]>

func.func @main(%a: tensor<4x8xcomplex<f32>> {spmd.sharding = #x_n}, %b: tensor<4x8xf32> {spmd.sharding = #x_n}) -> (tensor<4x8xcomplex<f32>> {spmd.sharding = #x_n}, tensor<4x5xcomplex<f32>> {spmd.sharding = #x_n}) {
  %0 = stablehlo.fft %a, type = FFT, length = [8] {spmd.shardings = [#x_n]} : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %1 = stablehlo.fft %b, type = RFFT, length = [8] {spmd.shardings = [#x_n]} : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  return %0, %1 : tensor<4x8xcomplex<f32>>, tensor<4x5xcomplex<f32>>
}

// RULE: stablehlo.fft: ([i, j])->([i, j]) {i=4, j=8 fft gathered}
// RULE: stablehlo.fft: ([i, j])->([i, j]) {i=4, j=8 fft direction=none gathered}
//
// PART: stablehlo.fft {{%.*}}type = FFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
// PART: stablehlo.fft {{%.*}}type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
