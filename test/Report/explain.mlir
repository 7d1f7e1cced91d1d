// Why is a value, or are the ops of a name, split as they are?
// RUN: partita-opt %s --explain=%2 | FileCheck %s --check-prefix=VALUE
// RUN: partita-opt %s --explain=%arg1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: partita-opt %s --explain=stablehlo.dot_general --plan-options=objective=bytes | FileCheck %s --check-prefix=OPS
// RUN: not partita-opt %s --explain=%77 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not partita-opt %s --explain=%2 --plan-options=objective=luck 2>&1 | FileCheck %s --check-prefix=OPTIONS

// VALUE:      %2 = stablehlo.dot_general (explain.mlir:[[#]]:10)
// VALUE-NEXT:   propagated: [{"data"}, {}]
// VALUE-NEXT:     dimension 0 because of the sharding of argument %arg0 (explain.mlir:[[#]]:7)
// VALUE-NEXT:       dimension 0 of %2 from %1 through stablehlo.dot_general, factor 0, stage 3
// VALUE-NEXT:       dimension 0 of %1 from %0 through stablehlo.tanh, factor 0
// VALUE-NEXT:       dimension 0 of %0 from %arg0 through stablehlo.dot_general, factor 0
// VALUE-NEXT:   placed: [{"data"}, {}] partial {"model"}, chosen by cost
// VALUE-NEXT:   strategies, all else as it is (bytes on links count four times):
// VALUE-NEXT:     * {{.*}} us work + 0.00 us operands + {{.*}} us results: [{"data"}, {"model"}], [{"model"}, {}] -> [{"data"}, {}] partial {"model"}
// VALUE-NEXT:     {{.*}} us = {{.*}}
// VALUE:          and [[#]] more
// VALUE-NEXT:   the runner-up costs {{[0-9.]+}} us more
// VALUE-NEXT:   resharded: [{"data"}, {}] partial {"model"} to [{"data", "model"}, {}]
// VALUE-NEXT:     reduce_scatter over {"model"}: 64 bytes, 3.0 us, 1 time
// VALUE-NEXT:       to be rid of it: keep dimension 1 of %1 whole over {"model"}: change the sharding of argument %arg1

// ARGUMENT:      %arg1 (explain.mlir:[[#]]:7), tensor<8x32xf32>
// ARGUMENT-NEXT:   propagated: [{}, {"model"}]
// ARGUMENT-NEXT:     dimension 1 because of the sharding of argument %arg1

// OPS:      %0 = stablehlo.dot_general
// OPS:        placed: [{"data"}, {"model"}], as propagated
// OPS:        strategies, all else as it is:
// OPS-NEXT:     * 0 bytes = 0 bytes work + 0 bytes operands + 0 bytes results
// OPS:        the runner-up costs [[#]] bytes more
// OPS:      %2 = stablehlo.dot_general

// NONE:      error: {{.*}}explain.mlir has no value or op '%77'
// NONE-NEXT: note: fix: use a value as --partita-to=propagated prints it

// OPTIONS: unknown objective 'luck'
// OPTIONS: fix: use time or bytes
module @mlp attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(
      %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w1: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
      %w2: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<16x8xf32> {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.tanh %0 : tensor<16x32xf32>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
}
