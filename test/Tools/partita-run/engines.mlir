// Machine code runs floats; the exact comparison and --print take the evaluator
// unless told otherwise; both outputs say what ran.
// RUN: partita-run %s | FileCheck %s --check-prefix=JIT
// RUN: partita-run %s --engine=eval | FileCheck %s --check-prefix=EVAL
// RUN: partita-run %s --compare=exact | FileCheck %s --check-prefixes=EQUAL,EVAL
// RUN: partita-run %s --print=result0 | FileCheck %s --check-prefixes=BLOCK,EVAL
// RUN: not partita-run %s --print=result0 --engine=jit 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: partita-run %s --compare=unsharded | FileCheck %s --check-prefixes=EQUAL,BOTH
// RUN: partita-run %s --compare=unsharded --reference=jit | FileCheck %s --check-prefixes=EQUAL,JITS
// RUN: partita-run %s --compare=unsharded --reference=jit --engine=eval | FileCheck %s --check-prefixes=EQUAL,CROSS
// RUN: not partita-run %s --compare=unsharded --reference=abacus 2>&1 | FileCheck %s --check-prefix=REFERENCE
// JIT: 8 devices, {{.*}} bytes, engine jit{{$}}
// EQUAL: equal
// BLOCK: result0 on device 0
// EVAL: 8 devices, {{.*}} bytes, engine eval{{$}}
// BOTH: engine jit against eval
// JITS: engine jit against jit
// CROSS: engine eval against jit
// PRINT: error: --print sees values of the evaluator only
// PRINT: note: fix: use --engine=eval with --print
// REFERENCE: error: unknown reference 'abacus'
// REFERENCE: note: fix: use --reference=eval, jit or auto

// A large program is compared with its machine code by itself: 2e10 FLOPs.
// RUN: sed -e 's/8x16/1024x4096/g; s/16x8/4096x2048/g; s/8x8/1024x2048/g' %s > %t.large.mlir
// RUN: partita-run %t.large.mlir --compare=unsharded | FileCheck %s --check-prefixes=EQUAL,JITS

// Timed runs follow a first one; the report has each and their median.
// RUN: partita-run %s --repeat=3 --json | FileCheck %s --check-prefix=TIMES
// RUN: partita-run %s --repeat=3 | FileCheck %s --check-prefix=MEDIAN
// RUN: partita-run %s --repeat=2 --engine=eval --json | FileCheck %s --check-prefix=TWO
// TIMES: "engine":"jit",{{.*}}"run_ms":[[MS:[0-9.e-]+]],"run_ms_all":[{{[^,]*,[^,]*,[^,]*}}],"code":
// TWO: "engine":"eval",{{.*}}"run_ms_all":[{{[^,]*,[^,]*}}]}
// MEDIAN: 3 runs, median {{[0-9.]+}} ms

module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
