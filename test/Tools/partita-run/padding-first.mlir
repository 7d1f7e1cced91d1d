// Blocks that are all padding have the shape of the whole value where one device
// holds all of it; here that is the last one.
// RUN: partita-run %s --engine=jit --no-cache --partita=uneven-io=pad --compare=unsharded | FileCheck %s
// RUN: partita-run %s --engine=eval --partita=uneven-io=pad --compare=unsharded | FileCheck %s
// CHECK: equal (floats
sdy.mesh @mesh = <["x"=3], device_ids=[2, 0, 1]>
func.func @main(%a: tensor<1x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<1x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.negate %a : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
