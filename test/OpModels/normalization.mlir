// RUN: partita-opt %s --partita="to=imported uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --inputs=positive --compare=unsharded --engine=eval

// The batch norms are written as plain arithmetic: sums over a sharded batch,
// uneven blocks and a sharded feature dimension need no model of their own.

sdy.mesh @m = <["x"=2, "y"=3]>

// CHECK-NOT: batch_norm
// CHECK: stablehlo.rsqrt
// CHECK-NOT: batch_norm
func.func @main(%x: tensor<7x5x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}, %g: tensor<7x5x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}, {"x"}]>}, %scale: tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %offset: tensor<5xf32>, %mean: tensor<5xf32>, %var: tensor<5xf32>) -> (tensor<7x5x4xf32>, tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, tensor<7x5x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x", "y"}, {}]>}, tensor<5xf32>, tensor<5xf32>) {
  %a = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %var) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<7x5x4xf32>
  %b:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>)
  %c:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %var, %g) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<7x5x4xf32>) -> (tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>)
  return %a, %b#0, %b#1, %b#2, %c#0, %c#1, %c#2 : tensor<7x5x4xf32>, tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<7x5x4xf32>, tensor<5xf32>, tensor<5xf32>
}
