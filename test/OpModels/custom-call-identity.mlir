// Calls that give back what they get, one of them with effects.
// RUN: partita-run %s --compare=unsharded --engine=eval
// RUN: partita-run %s --compare=unsharded --engine=jit --no-cache
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @InspectSharding(%a) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @MoveToHost(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
