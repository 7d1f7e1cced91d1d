// Values of options that nothing understands are refused before any work, by
// every tool that takes them, with the values that there are.
// RUN: rm -f %t.out
// RUN: not partita-run %s --engine=abacus 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: error: engine 'abacus' is not built in
// ENGINE: note: fix: use --engine=eval

// RUN: not partita-run %s --compare=xla 2>&1 | FileCheck %s --check-prefix=COMPARE
// COMPARE: error: unknown comparison 'xla'
// COMPARE: note: fix: use --compare=none, unsharded, exact, or another .mlir file

// RUN: not partita-run %s --compare=%t.none.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: cannot read '{{.*}}none.mlir'
// OTHER: note: fix:

// RUN: not partita-run %s --partita=to=middle 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not partita-translate --spmd-to-manual %s --partita=to=middle 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not partita-opt %s --partita="to=middle" -o %t.out 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not partita-opt %s --partita-to=middle -o %t.out 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: {{.*}}unknown phase 'middle'
// PHASE: fix: use imported, propagated, placed, partitioned, optimized or lowered

// RUN: not partita-run %s --partita=to=placed 2>&1 | FileCheck %s --check-prefix=PLACED
// PLACED: error: --partita: this tool needs phase optimized, not 'placed'
// PLACED: fix: leave out 'to'

// RUN: not partita-run %s --partita=machine=eniac 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not partita-translate --spmd-to-manual %s --partita=machine=eniac 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not partita-opt %s --partita=machine=eniac -o %t.out 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not partita-opt %s --spmd-place-reshards=machine=eniac -o %t.out 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not partita-opt %s --spmd-partition=machine=eniac -o %t.out 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: {{.*}}unknown machine 'eniac'
// MACHINE: fix: use one of tpu-v5e, {{.*}}h100-nvlink, {{.*}}cpu

// RUN: not partita-run %s --partita=machine=cpu,lunch=1 2>&1 | FileCheck %s --check-prefix=FIGURE
// RUN: not partita-opt %s --spmd-partition=machine=cpu,lunch=1 -o %t.out 2>&1 | FileCheck %s --check-prefix=FIGURE
// FIGURE: error: {{.*}}a machine has no figure 'lunch=1'
// FIGURE: fix: use flops, flops32, memory, link, latency, launch or kernel with a number

// RUN: not partita-run %s --partita=objective=beauty 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not partita-opt %s --partita=objective=beauty -o %t.out 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not partita-opt %s --spmd-place-reshards=objective=beauty -o %t.out 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// OBJECTIVE: error: {{.*}}unknown objective 'beauty'
// OBJECTIVE: fix: use time or bytes

// RUN: not partita-run %s --partita=uneven-io=maybe 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not partita-opt %s --partita=uneven-io=maybe -o %t.out 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: {{.*}}unknown uneven-io 'maybe'
// UNEVEN: fix: use refuse or pad

// RUN: not partita-run %s --partita=check-rep=maybe 2>&1 | FileCheck %s --check-prefix=CHECKREP
// CHECKREP: error: {{.*}}unknown check-rep 'maybe'
// CHECKREP: fix: use auto, error or warn

// RUN: not partita-run %s --partita=colour=red 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not partita-opt %s --partita=colour=red -o %t.out 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}cannot read the pipeline options 'colour=red': {{.*}}no such option colour
// UNKNOWN: fix: use to, target, chip, machine, objective, async, collective-matmul, halo-depth, results, arguments, constraints, memory-limit, uneven-io, check-rep

// RUN: not partita-translate %s -o %t.out 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: must be specified at least once

// RUN: not ls %t.out

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
