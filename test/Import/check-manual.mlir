// RUN: partita-opt %s --spmd-check-manual="check-rep=error" --verify-diagnostics

// Replication that is proved, even where nothing unproved may pass.
spmd.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<i32>) {
  %0:4 = spmd.manual (%arg0, %arg1) in_shardings=[<@m, [{"x"}, {"y"}]>, <@m, [{}]>] out_shardings=[<@m, [{}, {}]>, <@m, [{}, {}]>, <@m, [{}]>, <@m, []>] manual_axes={"x", "y"} (%a: tensor<2x4xf32>, %b: tensor<8xf32>) {
    // Sums over all axes, at once or one by one; a gather after a sum.
    %1 = spmd.all_reduce add %a {"x"} on @m : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = spmd.all_reduce add %1 {"y"} on @m : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = spmd.all_reduce max %a {"y"} on @m : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = spmd.all_gather %3 [{"x"}, {}] on @m : (tensor<2x4xf32>) -> tensor<8x4xf32>
    // A loop over what is equal everywhere.
    %c = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %c, %x = %b) : tensor<i32>, tensor<8xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %i, %one : tensor<i32>
      %6 = stablehlo.negate %x : tensor<8xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<8xf32>
    }
    spmd.return %2, %4, %r#1, %r#0 : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<i32>
  } : (tensor<8x8xf32>, tensor<8xf32>) -> (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<i32>)
  // What leaves a region is whole again: it may enter another as replicated.
  %7 = spmd.manual (%0#0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"x", "y"} (%a: tensor<2x4xf32>) {
    spmd.return %a : tensor<2x4xf32>
  } : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %7, %0#1, %0#2, %0#3 : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<i32>
}
