// Values as the tool prints them: bf16 rounds to even, flags have names.
// RUN: partita-run %s --compare=none --print=a | FileCheck %s --check-prefix=A
// RUN: partita-run %s --compare=none --print=b | FileCheck %s --check-prefix=B
// RUN: partita-run %s --compare=none --print=c | FileCheck %s --check-prefix=C
// A: a on device 0: tensor<3xbf16> [256 260 1]
// B: b on device 0: tensor<2x3xi32> {{\[\[}}0 1 2] [0 1 2]]
// C: c on device 0: tensor<2xf32> [nan -inf]
func.func @main() -> (tensor<3xbf16> {jax.result_info = "a"},
                      tensor<2x3xi32> {jax.result_info = "b"},
                      tensor<2xf32> {jax.result_info = "c"}) {
  %x = stablehlo.constant dense<[256.0, 256.0, 1.0]> : tensor<3xbf16>
  %y = stablehlo.constant dense<[1.0, 3.0, 0.00390625]> : tensor<3xbf16>
  %a = stablehlo.add %x, %y : tensor<3xbf16>
  %b = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %c = stablehlo.constant dense<[0x7FC00000, 0xFF800000]> : tensor<2xf32>
  return %a, %b, %c : tensor<3xbf16>, tensor<2x3xi32>, tensor<2xf32>
}
