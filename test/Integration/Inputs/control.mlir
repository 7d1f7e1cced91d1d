// Loops, branches and calls, with values that regions use from outside.
module @control {
  func.func public @main(%x: tensor<4xf32>, %n: tensor<i32>, %p: tensor<i1>) ->
      (tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %scale = stablehlo.add %x, %x : tensor<4xf32>
    %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
     cond {
      %r = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %r : tensor<i1>
    } do {
      %r0 = stablehlo.add %i, %one : tensor<i32>
      %r1 = stablehlo.add %v, %scale : tensor<4xf32>
      stablehlo.return %r0, %r1 : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.case"(%n) ({
      stablehlo.return %x : tensor<4xf32>
    }, {
      %r = stablehlo.negate %scale : tensor<4xf32>
      stablehlo.return %r : tensor<4xf32>
    }, {
      %r = func.call @double(%0#1) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %r : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %2:2 = "stablehlo.if"(%p) ({
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      stablehlo.return %1, %half : tensor<4xf32>, tensor<f32>
    }, {
      %quarter = stablehlo.constant dense<2.500000e-01> : tensor<f32>
      stablehlo.return %0#1, %quarter : tensor<4xf32>, tensor<f32>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<f32>)
    %3 = func.call @double(%2#0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0#1, %0#0, %1, %3, %2#1
        : tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
