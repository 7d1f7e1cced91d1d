// Partial sums do not pass through a convolution whose windows reach into other
// blocks: those are fetched by an exchange, which moves no partial sums.
// RUN: partita-run %s --compare=exact --partita="uneven-io=pad machine=free-network" | FileCheck %s
// CHECK: equal (exact, max |difference| 0.000000e+00)
module @fuzz attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(%a0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y":(2)2, "y":(1)2}]>}, %a2: tensor<3x1x1xf32>) -> (tensor<1x1x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, ?}, {}, {"y":(1)2, ?}]>}, tensor<2x1x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
%v1_ = "stablehlo.reshape"(%a0) : (tensor<8x2xf32>) -> (tensor<2x1x4x2xf32>)
%v3_ = "stablehlo.reshape"(%a2) : (tensor<3x1x1xf32>) -> (tensor<3xf32>)
%v4_ = "stablehlo.slice"(%v3_) <{start_indices = array<i64: 2>, limit_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<3xf32>) -> (tensor<1xf32>)
%v5_ = "stablehlo.reshape"(%v4_) : (tensor<1xf32>) -> (tensor<1x1x1xf32>)
%v6_ = "stablehlo.convolution"(%a2, %v5_) <{dimension_numbers = #stablehlo.conv<[0, f, b]x[0, o, i]->[f, b, 0]>, window_strides = array<i64: 1>, padding = dense<[[1, 1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: true>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<3x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5xf32>)
return %v6_, %v1_ : tensor<1x1x5xf32>, tensor<2x1x4x2xf32>
}
}
