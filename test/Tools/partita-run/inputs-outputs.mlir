// What --outputs writes, --inputs reads: f is its own inverse, so two runs give
// back the bits of the first input, for every element type.
// RUN: %make_npz %t.1.npz f4:4x2:arange i1:4:-1,2,-3,4 b1:2x2:1,0,0,1 u8:3:1,18446744073709551615,7 f2:4:0.5,1,-2,65504 f8::2.5
// RUN: partita-run %s --inputs=%t.1.npz --outputs=%t.2.npz > /dev/null
// RUN: %make_npz --print %t.2.npz | FileCheck %s --check-prefix=ONCE
// RUN: partita-run %s --inputs=%t.2.npz --outputs=%t.3.npz > /dev/null
// RUN: cmp %t.1.npz %t.3.npz || %make_npz --print %t.3.npz | FileCheck %s --check-prefix=TWICE

// ONCE:      arr_0 <f4 [4, 2] [-0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0]
// ONCE-NEXT: arr_1 |i1 [4] [1, -2, 3, -4]
// ONCE-NEXT: arr_2 |b1 [2, 2] [False, True, True, False]
// ONCE-NEXT: arr_3 <u8 [3] [18446744073709551614, 0, 18446744073709551608]
// ONCE-NEXT: arr_4 <f2 [4] [-0.5, -1.0, 2.0, -65504.0]
// ONCE-NEXT: arr_5 <f8 [] [-2.5]
// TWICE:      arr_0 <f4 [4, 2] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
// TWICE-NEXT: arr_1 |i1 [4] [-1, 2, -3, 4]
// TWICE-NEXT: arr_2 |b1 [2, 2] [True, False, False, True]
// TWICE-NEXT: arr_3 <u8 [3] [1, 18446744073709551615, 7]
// TWICE-NEXT: arr_4 <f2 [4] [0.5, 1.0, -2.0, 65504.0]
// TWICE-NEXT: arr_5 <f8 [] [2.5]

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<2x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg3: tensor<3xui64>, %arg4: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<f64>) -> (tensor<4x2xf32>, tensor<4xi8>, tensor<2x2xi1>, tensor<3xui64>, tensor<4xf16>, tensor<f64>) {
    %0 = stablehlo.negate %arg0 : tensor<4x2xf32>
    %1 = stablehlo.negate %arg1 : tensor<4xi8>
    %2 = stablehlo.not %arg2 : tensor<2x2xi1>
    %3 = stablehlo.not %arg3 : tensor<3xui64>
    %4 = stablehlo.negate %arg4 : tensor<4xf16>
    %5 = stablehlo.negate %arg5 : tensor<f64>
    return %0, %1, %2, %3, %4, %5 : tensor<4x2xf32>, tensor<4xi8>, tensor<2x2xi1>, tensor<3xui64>, tensor<4xf16>, tensor<f64>
  }
}
