// What a run needs is known before it starts: too little memory is an error at
// main that adds it up, and nothing has been written.
// RUN: rm -f %t.npz
// RUN: not partita-run %s --memory-limit=1000 --outputs=%t.npz 2>&1 | FileCheck %s
// RUN: not ls %t.npz
// RUN: partita-run %s --memory-limit=100000 | FileCheck %s --check-prefix=ENOUGH
// CHECK: memory.mlir:[[#@LINE+14]]:{{[0-9]+}}: error: memory does not suffice: the run needs [[#]] bytes, 1000 are available
// CHECK: note: 1024 bytes of arguments, 1024 of their blocks, [[#]] of results, [[#]] of temporaries of 2 devices
// CHECK: note: fix: run it at a smaller size or where there is more memory, or raise --memory-limit
// ENOUGH: 2 devices, {{.*}} engine jit

// A program that no machine can hold.
// RUN: sed -e 's/16x16/1048576x1048576/g' %s > %t.huge.mlir
// RUN: not partita-run %t.huge.mlir 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: memory does not suffice: the run needs {{[0-9]+}} bytes, {{[0-9]+}} are available
// HUGE: note: 4398046511104 bytes of arguments
// HUGE: note: fix: run it at a smaller size or where there is more memory{{$}}

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.add %x, %x : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
