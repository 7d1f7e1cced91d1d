// A sum that the user wants in parts is not widened: each part is of the type that was
// asked for, and passes on as that, to one reduction.
// RUN: partita-opt %s --partita=to=optimized | FileCheck %s
// RUN: partita-opt %s --partita=to=placed --remarks-filter=placement -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

sdy.mesh @m = <["x"=2]>
// REMARK: RoundedInParts{{.*}}each device rounds its part of the sum to bf16: the result is to stay in parts
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.dot_general {{.*}} -> tensor<4x6xbf16>
// CHECK: stablehlo.convert {{.*}} -> tensor<4x6xf32>
// CHECK: spmd.all_reduce add {{.*}} (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NOT: spmd.
func.func @main(%a: tensor<4x8xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x6xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
  %1 = sdy.sharding_constraint %0 <@m, [{}, {}], unreduced={"x"}> : tensor<4x6xbf16>
  %2 = stablehlo.convert %1 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
  %3 = sdy.sharding_constraint %2 <@m, [{}, {}], unreduced={"x"}> : tensor<4x6xf32>
  %4 = stablehlo.concatenate %3, %3, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %5 = sdy.sharding_constraint %4 <@m, [{}, {}], unreduced={"x"}> : tensor<8x6xf32>
  return %5 : tensor<8x6xf32>
}
