// A tour of the phases: a two-layer perceptron, its batch split over "data", its
// hidden dimension over "model", as jax.jit prints it.
// RUN: partita-opt %s --partita-to=imported    | FileCheck %s --check-prefix=IMPORTED
// RUN: partita-opt %s --partita-to=propagated  | FileCheck %s --check-prefix=PROPAGATED
// RUN: partita-opt %s --partita-to=placed      | FileCheck %s --check-prefix=PLACED
// RUN: partita-opt %s --partita-to=partitioned | FileCheck %s --check-prefix=PARTITIONED
// RUN: partita-opt %s --partita-to=optimized   | FileCheck %s --check-prefix=OPTIMIZED
// RUN: partita-translate %s --spmd-to-manual   | FileCheck %s --check-prefix=MANUAL
// RUN: partita-run %s --compare=exact          | FileCheck %s --check-prefix=EXACT

module @jit_mlp attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(
      %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w1: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
      %w2: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> (tensor<16x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.tanh %0 : tensor<16x32xf32>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
}

// Imported: the input's dialect is gone, its annotations are spmd's; nothing else
// has changed.
// IMPORTED:      spmd.mesh @mesh = <["data"=4, "model"=2]>
// IMPORTED:      %arg0: tensor<16x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"data"}, {}]>}
// IMPORTED-NEXT:   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
// IMPORTED-NEXT:   %1 = stablehlo.tanh %0 : tensor<16x32xf32>

// Propagated: every value has a sharding. That of the hidden layer comes from both
// operands of the first dot, that of the result from the batch.
// PROPAGATED:      -> (tensor<16x8xf32> {jax.result_info = "result", spmd.sharding = #spmd.sharding<@mesh, [{"data"}, {}]>})
// PROPAGATED:        stablehlo.dot_general {{.*}}spmd.shardings = [#spmd.sharding<@mesh, [{"data"}, {"model"}]>]
// PROPAGATED-NEXT:   stablehlo.tanh {{.*}}spmd.shardings = [#spmd.sharding<@mesh, [{"data"}, {"model"}]>]
// PROPAGATED-NEXT:   stablehlo.dot_general {{.*}}spmd.shardings = [#spmd.sharding<@mesh, [{"data"}, {}]>]

// Placed: the second dot contracts a dimension that is split over "model", so its
// result is partial sums; what it takes to be whole is an explicit reshard. No user
// sharded the result, so it is left in the layout that is cheapest to reach.
// PLACED:        %[[H:.*]] = stablehlo.tanh
// PLACED-NEXT:   %[[P:.*]] = stablehlo.dot_general %[[H]], %arg2
// PLACED-SAME:     spmd.shardings = [#spmd.sharding<@mesh, [{"data"}, {}], unreduced={"model"}>]
// PLACED-NEXT:   %[[R:.*]] = spmd.reshard %[[P]] <@mesh, [{"data", "model"}, {}]>
// PLACED-NEXT:   return %[[R]]

// Partitioned: what each device runs. Shapes are those of its blocks, and the
// reshard is the collective of its cheapest plan.
// PARTITIONED:      %arg0: tensor<4x8xf32> {spmd.global_type = tensor<16x8xf32>,
// PARTITIONED-SAME: %arg1: tensor<8x16xf32>
// PARTITIONED-SAME: %arg2: tensor<16x8xf32>
// PARTITIONED-NEXT:   %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
// PARTITIONED-NEXT:   %[[H:.*]] = stablehlo.tanh %[[D]] : tensor<4x16xf32>
// PARTITIONED-NEXT:   %[[P:.*]] = stablehlo.dot_general %[[H]], %arg2, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
// PARTITIONED-NEXT:   %[[R:.*]] = spmd.reduce_scatter add %[[P]] [{"model"}, {}] on @mesh : (tensor<4x8xf32>) -> tensor<2x8xf32>
// PARTITIONED-NEXT:   return %[[R]]

// Optimized: one collective has nothing to be combined with.
// OPTIMIZED-COUNT-1: spmd.reduce_scatter
// OPTIMIZED-NOT:     spmd.{{all_|reduce_}}

// For XLA: the whole signature around the device program.
// MANUAL:      %arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// MANUAL:      sdy.manual_computation(%arg0, %arg1, %arg2)
// MANUAL-SAME: out_shardings=[<@mesh, [{"data", "model"}, {}]>] manual_axes={"data", "model"} (%{{.*}}: tensor<4x8xf32>
// MANUAL:      "stablehlo.reduce_scatter"
// MANUAL-SAME: replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]>

// And run: over a field, where sums in another order are equal sums.
// EXACT:      equal (exact, max |difference| 0
// EXACT-NEXT: 8 devices, 64 bytes sent per device
// EXACT-NEXT:   1 x reduce_scatter: 64 bytes
