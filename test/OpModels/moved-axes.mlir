// RUN: partita-opt %s --partita="to=optimized uneven-io=pad objective=bytes" | FileCheck %s
// RUN: partita-run %s --partita="uneven-io=pad objective=bytes" --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad objective=bytes" --compare=exact
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" --remarks-filter=placement -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Axes of a dimension that must be whole move to a parallel one and back
// (all-to-all) instead of being gathered. Where a gather is cheaper (short
// messages) or the only way, a remark tells its bytes and why.

sdy.mesh @m = <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: spmd.all_gather
// CHECK: stablehlo.fft {{.*}} -> tensor<2x24xcomplex<f32>>
// CHECK-NOT: spmd.all_gather
// CHECK: stablehlo.cholesky {{.*}} : tensor<2x6x6xf32>
// CHECK-NOT: spmd.all_gather
// CHECK: return
// REMARK: GatheredDimension
// REMARK-SAME: stablehlo.sort: dimension 1 of operand #0 is gathered on each device, {{[0-9]+}} bytes, because it is the sorted one
func.func @main(%a: tensor<13x17xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, %b: tensor<13x17xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %c: tensor<12x24xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, %d: tensor<12x6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}) -> (tensor<13x17xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, tensor<13x17xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, tensor<12x24xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, tensor<12x6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<i32>, %t: tensor<i32>):
    %u = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %u : tensor<i1>
  }) : (tensor<13x17xf32>, tensor<13x17xi32>) -> (tensor<13x17xf32>, tensor<13x17xi32>)
  %1 = stablehlo.fft %c, type = FFT, length = [24] : (tensor<12x24xcomplex<f32>>) -> tensor<12x24xcomplex<f32>>
  %2 = stablehlo.cholesky %d, lower = true : tensor<12x6x6xf32>
  return %0#0, %0#1, %1, %2 : tensor<13x17xf32>, tensor<13x17xi32>, tensor<12x24xcomplex<f32>>, tensor<12x6x6xf32>
}
