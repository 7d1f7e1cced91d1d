// Both forms, from the program itself and from partita-opt's output; the manual
// form keeps the whole signature, the other one has local shapes.
// RUN: partita-translate --spmd-to-manual %s | FileCheck %s --check-prefix=MANUAL
// RUN: partita-opt --partita-to=optimized %s | partita-translate --spmd-to-manual | FileCheck %s --check-prefix=MANUAL
// RUN: partita-translate --spmd-to-stablehlo %s -o %t.mlir
// RUN: FileCheck %s --check-prefix=LOCAL < %t.mlir
// RUN: not partita-translate --spmd-to-manual %s -o %t.none/out.mlir 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: partita-translate --help | FileCheck %s --check-prefix=HELP

// MANUAL: func.func public @main(%arg0: tensor<4096x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
// MANUAL: sdy.manual_computation
// LOCAL: func.func public @main(%arg0: tensor<1024x4xf32>
// LOCAL: "stablehlo.all_reduce"
// LOCAL-SAME: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]>
// OUT: error: cannot open output file
// OUT: note: fix: name a file in a folder that exists
// HELP: partita-translate --spmd-to-manual model.mlir

// The manual form is itself a program, equal to the one it came from.
// RUN: partita-translate --spmd-to-manual %s -o %t.manual.mlir
// RUN: partita-run %s --compare=%t.manual.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %t.manual.mlir --compare=exact | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal

module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4096x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0] : (tensor<4096x4xf32>, tensor<4096x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
