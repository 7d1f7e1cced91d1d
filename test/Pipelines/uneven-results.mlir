// RUN: partita-run %s --compare=exact | FileCheck %s
// RUN: partita-run %s --partita=results=free --compare=exact | FileCheck %s --check-prefix=EVEN
// RUN: partita-opt %s --partita=to=placed | FileCheck %s --check-prefix=PORT

// A result that nobody sharded stays in the uneven blocks of its constraint where
// only partita-run reads it; others get even blocks.
// CHECK: equal
// CHECK: 8 devices, 0 bytes sent
// EVEN: equal
// EVEN: 1 x all_gather
// PORT: -> (tensor<7x1001xf32> {spmd.sharding = #spmd.sharding<@m, [{}, {}]>}

sdy.mesh @m = <["d"=8]>
func.func @main(%a: tensor<7x1001xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> tensor<7x1001xf32> {
  %0 = stablehlo.add %a, %a : tensor<7x1001xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{}, {"d"}]> : tensor<7x1001xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<7x1001xf32>
  return %2 : tensor<7x1001xf32>
}
