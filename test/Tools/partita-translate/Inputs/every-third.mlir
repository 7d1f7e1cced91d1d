sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<150xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<150xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %i = stablehlo.iota dim = 0 : tensor<150xi32>
  %three = stablehlo.constant dense<3> : tensor<150xi32>
  %r = stablehlo.remainder %i, %three : tensor<150xi32>
  %none = stablehlo.constant dense<0> : tensor<150xi32>
  %c = stablehlo.compare EQ, %r, %none : (tensor<150xi32>, tensor<150xi32>) -> tensor<150xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<150xf32>
  %0 = stablehlo.select %c, %x, %zero : tensor<150xi1>, tensor<150xf32>
  return %0 : tensor<150xf32>
}
