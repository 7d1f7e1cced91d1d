// --compare=B.mlir needs two programs with the same whole signature; a difference
// of values is reported with its place and exits with 1.
// RUN: split-file %s %t
// RUN: not partita-run %t/a.mlir --compare=%t/b.mlir 2>&1 | FileCheck %s
// RUN: not partita-run %t/a.mlir --compare=%t/c.mlir | FileCheck %s --check-prefix=VALUE
// CHECK: b.mlir:1:1: error: main has another signature than that of '{{.*}}a.mlir'
// CHECK: a.mlir:1:1: note: which is '(tensor<4xf32>) -> tensor<4xf32>'
// CHECK: note: fix: compare programs with equal whole types
// VALUE: DIFFERENT (floats, max |difference|
// VALUE: result #0 differs first at [0]: {{.*}}, {{.*}}

//--- a.mlir
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
//--- b.mlir
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  return %arg0 : tensor<5xf32>
}
//--- c.mlir
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
