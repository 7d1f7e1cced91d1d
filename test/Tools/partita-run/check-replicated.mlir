// A manual region declares its result replicated along "x", but each device
// returns its own block. The check at compile time refuses it; with check-rep=warn
// the run compares the replicas, and says which devices and which element.
// RUN: not partita-run %s 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: partita-run %s --partita=check-rep=warn 2>%t.err | FileCheck %s --check-prefix=BLIND
// RUN: FileCheck %s --check-prefix=WARN < %t.err
// RUN: not partita-run %s --partita=check-rep=warn --check-replicated 2>/dev/null | FileCheck %s
// RUN: not partita-run %s --partita=check-rep=warn --compare=unsharded --json 2>/dev/null | FileCheck %s --check-prefix=JSON

// STATIC: error: {{.*}}result 0
// STATIC: fix:
// BLIND-NOT: differ
// BLIND: 2 devices
// WARN: warning: {{.*}}result 0
// CHECK: DIFFERENT
// CHECK: result #0 is declared replicated but devices 0 and 1 differ at [0]
// JSON: "equal":false

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<3xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<3xf32>) {
      sdy.return %arg1 : tensor<3xf32>
    } : (tensor<6xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
