// A call that only Python could answer stands in a branch, as libraries raise
// errors: the run ends with an error only if it gets there, also where nobody
// reads what the call gives. What would always get there is refused at once.

// RUN: split-file %s %t
// RUN: partita-run %t/spared.mlir --inputs=positive --engine=jit --compare=unsharded | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %t/spared.mlir --inputs=positive --engine=eval --compare=unsharded | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal
// RUN: not partita-run %t/reached.mlir --inputs=positive --engine=jit 2>&1 | FileCheck %s --check-prefix=REACHED
// REACHED: error: device {{[01]}}, op {{[0-9]+}} (unknown_call): custom call @raise_error is no routine that the runtime has
// RUN: not partita-run %t/certain.mlir --engine=jit 2>&1 | FileCheck %s --check-prefix=CERTAIN
// CERTAIN: certain.mlir:4:8: error: {{.*}}@raise_error is no routine that the runtime has

//--- spared.mlir
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %isBad = stablehlo.compare LT, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = "stablehlo.if"(%isBad) ({
    %1 = stablehlo.custom_call @raise_error(%sum) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- reached.mlir
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %isBad = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = "stablehlo.if"(%isBad) ({
    %1 = stablehlo.custom_call @raise_error(%sum) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %3 = stablehlo.add %a, %a : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- certain.mlir
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  // It takes all.
  %0 = stablehlo.custom_call @raise_error(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
