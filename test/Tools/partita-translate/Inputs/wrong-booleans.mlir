func.func @main() -> tensor<150xi1> {
  %c = stablehlo.constant dense<"0x0100"> : tensor<150xi1>
  return %c : tensor<150xi1>
}
