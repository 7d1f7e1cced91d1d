// RUN: partita-opt %s --partita="to=placed uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

// Partial sums of a dot with a bf16 result are added in f32 and rounded once, as
// the whole dot does. A narrowing convert is no place to leave a sum.

sdy.mesh @m = <["x"=2, "y"=3]>

// CHECK: stablehlo.dot_general {{.*}} -> tensor<4x4xf32>
// CHECK: spmd.reshard {{.*}} : tensor<4x4xf32>
// CHECK: stablehlo.convert {{.*}} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: stablehlo.convolution{{.*}} -> tensor<2x6x6xf32>
// CHECK: stablehlo.convert {{.*}} : (tensor<2x6x6xf32>) -> tensor<2x6x6xbf16>
// No contracted dimension is sharded here.
// CHECK: stablehlo.dot_general {{.*}} -> tensor<4x7xbf16>
func.func @main(%a: tensor<4x7xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}]>}, %b: tensor<7x4xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}, %image: tensor<2x5x9xi16> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}, {}]>}, %kernel: tensor<6x5x4xi16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}, %c: tensor<4x3xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %d: tensor<3x7xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<4x4xbf16>, tensor<2x6x6xbf16>, tensor<4x7xbf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x7xbf16>, tensor<7x4xbf16>) -> tensor<4x4xbf16>
  %1 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x9xi16>, tensor<6x5x4xi16>) -> tensor<2x6x6xbf16>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<4x3xbf16>, tensor<3x7xbf16>) -> tensor<4x7xbf16>
  return %0, %1, %2 : tensor<4x4xbf16>, tensor<2x6x6xbf16>, tensor<4x7xbf16>
}
