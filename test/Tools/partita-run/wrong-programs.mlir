// Programs that cannot be right: a located error that names dimension, sizes and
// axes, a fix, exit code 1, nothing written.
// RUN: rm -rf %t && split-file %s %t

// RUN: not partita-run %t/malformed.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=MALFORMED
// MALFORMED: malformed.mlir:2:{{[0-9]+}}: error: expected '>' in tensor type
// MALFORMED: note: fix: correct the text here, or write it anew

// RUN: not partita-run %t/undefined.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: undefined.mlir:2:{{[0-9]+}}: error: use of undeclared SSA value name
// UNDEFINED: note: fix: correct the text here

// RUN: not partita-run %t/large-mesh.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: large-mesh.mlir:2:3: error: {{.*}} has 8 devices, but the machine has 4 (mhlo.num_partitions)
// MESH: note: fix: make the mesh no larger than the machine, or lower for 8 devices

// RUN: not partita-run %t/axis-twice.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: axis-twice.mlir:3:3: error: {{.*}} argument 0: axis "x" is used twice
// TWICE: note: fix: use each axis for one dimension

// RUN: not partita-run %t/long-sharding.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: long-sharding.mlir:3:3: error: {{.*}} argument 0: the sharding has 3 dimensions, but the type 'tensor<8x8xf32>' has 2
// LONG: note: fix: write one {...} per dimension of the type

// RUN: not partita-run %t/unknown-axis.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: unknown-axis.mlir:3:3: error: {{.*}}"z"
// AXIS: note: fix:

// RUN: not partita-run %t/no-main.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: no-main.mlir:1:1: error: the module has no function @main; it has @other
// MAIN: note: fix: name the entry function 'main'

// RUN: not partita-run %t/token.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=TOKEN
// TOKEN: token.mlir:{{.*}}: error: argument #0 of main is no ranked tensor, so it can't be run
// TOKEN: note: fix:

// An op that no partition has is refused by name, with the reason.
// RUN: not partita-run %t/no-model.mlir --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not partita-opt --partita %t/no-model.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not partita-translate --spmd-to-manual %t/no-model.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: no-model.mlir:4:10: error: 'stablehlo.einsum' op is left after import: its operands do not fit the notation
// MODEL: note: fix: name each dimension of an operand once

// RUN: not ls %t/out.npz
// RUN: not ls %t/out.mlir

//--- malformed.mlir
func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32
}
//--- undefined.mlir
func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
//--- large-mesh.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
//--- axis-twice.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
//--- long-sharding.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
//--- unknown-axis.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
//--- no-main.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @other(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
//--- token.mlir
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: !stablehlo.token, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    return %arg1 : tensor<8xf32>
  }
}
//--- no-model.mlir
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = "stablehlo.einsum"(%arg0, %arg0) <{einsum_config = "ii,ik->ik"}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
