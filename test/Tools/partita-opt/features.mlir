// partita-opt keeps what mlir-opt has: standard input, dumps of the pipeline,
// round trips, split inputs, bytecode, lists; errors show the source, not the op.
// RUN: partita-opt - < %s | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s | FileCheck %s
// RUN: partita-opt --split-input-file %s | FileCheck %s
// RUN: partita-opt --emit-bytecode %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --partita --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: partita-opt %s --partita-to=placed --mlir-print-ir-after=spmd-propagate-shardings 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: partita-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: partita-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: partita-opt --help | FileCheck %s --check-prefix=HELP
// RUN: not partita-opt %s --spmd-verify-imported 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not="see current operation"
// RUN: not partita-opt %s --spmd-verify-imported --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=DUMP

// CHECK: func.func public @main
// PIPELINE: spmd-import-sdy,
// PIPELINE: spmd-propagate-shardings
// PIPELINE: spmd-place-reshards{{[{].*machine=tpu-v5e.*objective=time results=free.*[}]}},
// PIPELINE: spmd-verify-placed,
// PIPELINE: spmd-partition{check-placed=false machine=tpu-v5e objective=time},
// PIPELINE: spmd-merge-functions,
// PIPELINE: spmd-verify-partitioned,
// AFTER: IR Dump After PropagateShardingsPass
// DIALECTS: sdy,{{.*}}spmd,stablehlo
// PASSES: --spmd-place-reshards
// HELP: partita-opt --partita-to=optimized model.mlir
// ERROR: features.mlir:[[#]]:3: error:
// DUMP: see current operation

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
