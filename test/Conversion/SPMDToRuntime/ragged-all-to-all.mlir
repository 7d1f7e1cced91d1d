// lax.ragged_all_to_all as JAX prints it, as machine code, on a mesh with another axis; bf16, i4 and integer rows.
// RUN: partita-run %s --engine=jit --compare=unsharded --inputs=positive | FileCheck %s
// RUN: partita-opt %s --partita="to=optimized" --convert-spmd-to-stablehlo --convert-spmd-to-runtime | FileCheck %s --check-prefix=CALL
// CHECK: equal
// CALL: spmd.runtime_call "partita_ragged_all_to_all"

spmd.mesh @m = <["y"=3, "x"=2]>

// Each device sends two rows to the first of its group and one to the second.
func.func @main(%rows: tensor<8x3xf32>, %old: tensor<10x3xf32>) -> (tensor<10x3xf32>, tensor<10x3xbf16>, tensor<10x3xi4>) {
  %from = stablehlo.constant dense<[0, 2, 1, 3]> : tensor<4xi32>
  %send = stablehlo.constant dense<[2, 1, 2, 1]> : tensor<4xi32>
  %to = stablehlo.constant dense<[0, 0, 2, 1]> : tensor<4xi32>
  %get = stablehlo.constant dense<[2, 2, 1, 1]> : tensor<4xi32>
  %0:3 = spmd.manual (%rows, %old, %from, %send, %to, %get) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}]>, <@m, [{"x"}]>, <@m, [{"x"}]>, <@m, [{"x"}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>] manual_axes={"x", "y"}
      (%a: tensor<4x3xf32>, %o: tensor<5x3xf32>, %f: tensor<2xi32>, %s: tensor<2xi32>, %t: tensor<2xi32>, %g: tensor<2xi32>) {
    %1 = stablehlo.custom_call @ragged_all_to_all(%a, %o, %f, %s, %t, %g) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>}} : (tensor<4x3xf32>, tensor<5x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x3xf32>
    %ab = stablehlo.convert %a : (tensor<4x3xf32>) -> tensor<4x3xbf16>
    %ob = stablehlo.convert %o : (tensor<5x3xf32>) -> tensor<5x3xbf16>
    %2 = stablehlo.custom_call @ragged_all_to_all(%ab, %ob, %f, %s, %t, %g) {api_version = 4 : i32, backend_config = {channel_id = 2 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>}} : (tensor<4x3xbf16>, tensor<5x3xbf16>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x3xbf16>
    %ai = stablehlo.convert %a : (tensor<4x3xf32>) -> tensor<4x3xi4>
    %oi = stablehlo.convert %o : (tensor<5x3xf32>) -> tensor<5x3xi4>
    %3 = stablehlo.custom_call @ragged_all_to_all(%ai, %oi, %f, %s, %t, %g) {api_version = 4 : i32, backend_config = {channel_id = 3 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>}} : (tensor<4x3xi4>, tensor<5x3xi4>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x3xi4>
    spmd.return %1, %2, %3 : tensor<5x3xf32>, tensor<5x3xbf16>, tensor<5x3xi4>
  } : (tensor<8x3xf32>, tensor<10x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<10x3xf32>, tensor<10x3xbf16>, tensor<10x3xi4>)
  return %0#0, %0#1, %0#2 : tensor<10x3xf32>, tensor<10x3xbf16>, tensor<10x3xi4>
}
