// A loop whose carried values change places between two layouts: a permute moves
// whole blocks to other devices, so nothing behind it is a function of positions
// along the axis that the halo is exchanged over.
// RUN: partita-run %s --compare=exact --compare-each --partita="halo-depth=2 uneven-io=pad machine=free-network"

sdy.mesh @mesh = <["x"=3, "y"=3]>
func.func public @main(%arg0: tensor<7x7xi32>, %arg1: tensor<7x7xi32>) -> (tensor<7x7xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<7x7xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}) {
  %c = stablehlo.constant dense<6> : tensor<i32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg1, %iterArg_2 = %arg0) : tensor<i32>, tensor<7x7xi32>, tensor<7x7xi32>
  cond {
    %1 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %iterArg, %c_3 : tensor<i32>
    %c_4 = stablehlo.constant dense<7> : tensor<i32>
    %2 = stablehlo.pad %iterArg_1, %c_4, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<7x7xi32>, tensor<i32>) -> tensor<7x7xi32>
    %3 = stablehlo.multiply %2, %iterArg_2 : tensor<7x7xi32>
    stablehlo.return %1, %3, %iterArg_1 : tensor<i32>, tensor<7x7xi32>, tensor<7x7xi32>
  }
  return %0#2, %arg1 : tensor<7x7xi32>, tensor<7x7xi32>
}

