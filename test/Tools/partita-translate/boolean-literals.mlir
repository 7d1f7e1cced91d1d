// JAX prints large constants of booleans as one byte each, LLVM 22 as eight in a byte: read
// as JAX means them, printed for JAX as it reads them. Errors keep their column.
// RUN: partita-run %s --compare=%S/Inputs/every-third.mlir | FileCheck %s --check-prefix=SAME
// RUN: partita-opt %s | FileCheck %s --check-prefix=PACKED
// RUN: partita-translate --spmd-to-manual %s | FileCheck %s
// RUN: partita-opt %s | partita-run - --compare=%S/Inputs/every-third.mlir | FileCheck %s --check-prefix=SAME
// RUN: sed 's/150xi1>$/150xi1> oops/' %s | not partita-opt - 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not partita-opt %S/Inputs/wrong-booleans.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// SAME: equal
// PACKED: dense<"0x49922449922449922449922449922449922409"> : tensor<150xi1>
// CHECK: dense<"0x010000010000010000
// CHECK-SAME: "> : tensor<150xi1>
// ERROR: :18:356: error: custom op 'oops'
// WRONG: elements hex data size is invalid
sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<150xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<150xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %c = stablehlo.constant dense<"0x010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000010000"> : tensor<150xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<150xf32>
  %0 = stablehlo.select %c, %x, %zero : tensor<150xi1>, tensor<150xf32>
  return %0 : tensor<150xf32>
}
