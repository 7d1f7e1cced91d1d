// RUN: partita-run %s --compare=exact | FileCheck %s
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// RUN: sed 's/"d"=8/"d"=3/' %s | partita-run - --partita=uneven-io=pad --compare=exact | FileCheck %s --check-prefix=UNEVEN

// Loops of different length, some rows on each device: nothing is asked in the
// trips, so nothing is sent.
// CHECK: equal
// CHECK: 8 devices, 0 bytes sent
// UNEVEN: equal
// UNEVEN: 3 devices, 0 bytes sent

sdy.mesh @m = <["d"=8]>
func.func @main(%n: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"d"}]>}, %x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {}]>}) {
  %seven = stablehlo.constant dense<7> : tensor<8xi32>
  %zero = stablehlo.constant dense<0> : tensor<8xi32>
  %length = stablehlo.and %n, %seven : tensor<8xi32>
  %r:3 = stablehlo.while(%len = %length, %i = %zero, %v = %x) : tensor<8xi32>, tensor<8xi32>, tensor<8x4xf32>
  cond {
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%goes init: %false) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %any : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<8xi32>
    %next = stablehlo.add %i, %one : tensor<8xi32>
    %twice = stablehlo.add %v, %v : tensor<8x4xf32>
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %k = stablehlo.select %goes, %next, %i : tensor<8xi1>, tensor<8xi32>
    %mask = stablehlo.broadcast_in_dim %goes, dims = [0] : (tensor<8xi1>) -> tensor<8x4xi1>
    %w = stablehlo.select %mask, %twice, %v : tensor<8x4xi1>, tensor<8x4xf32>
    stablehlo.return %len, %k, %w : tensor<8xi32>, tensor<8xi32>, tensor<8x4xf32>
  }
  return %r#2 : tensor<8x4xf32>
}
