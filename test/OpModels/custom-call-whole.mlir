// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" | FileCheck %s
// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" --remarks-filter=placement -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of an unknown call without effects nothing is assumed: whole operands on each
// device, said with bytes and reason. Its result is sliced for the users.

sdy.mesh @m = <["x"=2, "y"=3]>

// CHECK: spmd.all_gather
// CHECK: stablehlo.custom_call @mystery({{%.*}}) : (tensor<7x6xf32>) -> tensor<7x6xf32>
// CHECK: return {{%.*}} : tensor<4x6xf32>
// REMARK: stablehlo.custom_call: dimension 0 of operand #0 is gathered on each device, {{[0-9]+}} bytes, because the op needs it whole
func.func @main(%a: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.custom_call @mystery(%a) : (tensor<7x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
