// RUN: partita-opt %s --partita="to=optimized uneven-io=pad objective=bytes" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --compare=unsharded --engine=eval
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

// Where every dimension is transformed, each is transformed while its axes rest
// on another, or are gathered where that is cheaper. All four kinds, uneven
// blocks.

sdy.mesh @m = <["x"=2, "y"=3]>
#xy = #sdy.sharding<@m, [{"x"}, {"y"}]>
#yx = #sdy.sharding<@m, [{"y", "x"}, {}]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: stablehlo.fft {{.*}}length = [{{[0-9]+}},
// CHECK: stablehlo.fft {{.*}}type = IFFT, length = [5]
// CHECK-NOT: stablehlo.fft {{.*}}length = [{{[0-9]+}},
func.func @main(%a: tensor<6x5xcomplex<f32>> {sdy.sharding = #xy}, %b: tensor<5x8xf32> {sdy.sharding = #xy}, %c: tensor<5x5xcomplex<f32>> {sdy.sharding = #yx}) -> (tensor<6x5xcomplex<f32>> {sdy.sharding = #xy}, tensor<6x5xcomplex<f32>> {sdy.sharding = #yx}, tensor<5x5xcomplex<f32>> {sdy.sharding = #xy}, tensor<5x8xf32> {sdy.sharding = #yx}) {
  %0 = stablehlo.fft %a, type = FFT, length = [6, 5] : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  %1 = stablehlo.fft %a, type = IFFT, length = [6, 5] : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  %2 = stablehlo.fft %b, type = RFFT, length = [5, 8] : (tensor<5x8xf32>) -> tensor<5x5xcomplex<f32>>
  %3 = stablehlo.fft %c, type = IRFFT, length = [5, 8] : (tensor<5x5xcomplex<f32>>) -> tensor<5x8xf32>
  return %0, %1, %2, %3 : tensor<6x5xcomplex<f32>>, tensor<6x5xcomplex<f32>>, tensor<5x5xcomplex<f32>>, tensor<5x8xf32>
}
