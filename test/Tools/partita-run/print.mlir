// --print names arguments, results and values of the optimized program; each
// device shows its block, padding included, with its mesh coordinates.
// RUN: %make_npz %t.npz i4:6:arange
// RUN: partita-run %s --inputs=%t.npz --print=arg0 | FileCheck %s --check-prefix=ARG
// RUN: partita-run %s --inputs=%t.npz --print=result0 | FileCheck %s --check-prefix=RESULT
// RUN: partita-run %s --inputs=%t.npz --print=%%0 --partita=objective=bytes | FileCheck %s --check-prefix=VALUE
// RUN: partita-run %s --inputs=%t.npz --print=total | FileCheck %s --check-prefix=INFO
// RUN: not partita-run %s --inputs=%t.npz --print=nothing 2>&1 | FileCheck %s --check-prefix=NONE

// ARG:      arg0 on device 0 (x=0, y=0): tensor<3xi32> [0 1 2]
// ARG-NEXT: arg0 on device 1 (x=0, y=1): tensor<3xi32> [0 1 2]
// ARG-NEXT: arg0 on device 2 (x=1, y=0): tensor<3xi32> [3 4 5]
// ARG-NEXT: arg0 on device 3 (x=1, y=1): tensor<3xi32> [3 4 5]
// RESULT-COUNT-4: result0 on device {{.*}}: tensor<i32> 15
// VALUE:    %0 on device 0 (x=0, y=0): tensor<i32> 3
// VALUE:    %0 on device 3 (x=1, y=1): tensor<i32> 12
// INFO:     total on device 0 (x=0, y=0): tensor<i32> 15
// NONE: error: no value is called 'nothing'
// NONE: note: fix: use arg0, result0, a name of jax.result_info

module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<i32> {jax.result_info = "total", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<6xi32>, tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
