// --json prints one object on one line, with every field of the report; a plan
// alone has no comparison and no run time.
// RUN: partita-run %s --json --compare=exact > %t.json
// RUN: %python -m json.tool %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=LINE < %t.json
// RUN: partita-run %s --json --plan-only | FileCheck %s --check-prefix=PLAN
// RUN: partita-run %s --plan-only | FileCheck %s --check-prefix=TEXT

// CHECK:      "equal": true,
// CHECK-NEXT: "max_abs_diff": 0,
// CHECK-NEXT: "nan_share": 0,
// CHECK-NEXT: "vacuous": [],
// CHECK-NEXT: "engine": "eval",
// CHECK-NEXT: "devices": 8,
// CHECK-NEXT: "collectives": {
// CHECK-NEXT:   "all_gather": [
// CHECK-NEXT:     1,
// CHECK-NEXT:     96
// CHECK-NEXT:   ]
// CHECK-NEXT: },
// CHECK-NEXT: "sent_bytes": 96,
// CHECK-NEXT: "peak_bytes": 160,
// CHECK-NEXT: "compile_ms": {{[0-9.e-]+}},
// CHECK-NEXT: "run_ms": {{[0-9.e-]+}}
// LINE:     {{^{.*}$}}
// LINE-NOT: {{.}}
// PLAN: {"devices":8,"collectives":{"all_gather":[1,96]},"sent_bytes":96,"peak_bytes":160,"compile_ms":{{[0-9.e-]+}},"run_ms":0}
// TEXT:      8 devices, 96 bytes sent per device, peak 160 bytes
// TEXT-NEXT:   1 x all_gather: 96 bytes

module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    return %arg0 : tensor<8x4xf32>
  }
}
