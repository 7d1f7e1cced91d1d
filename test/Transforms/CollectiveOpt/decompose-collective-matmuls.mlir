// RUN: partita-opt %s --spmd-decompose-collective-matmuls | FileCheck %s
// RUN: partita-opt %s --spmd-decompose-collective-matmuls --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: partita-opt %s --spmd-decompose-collective-matmuls=max-blocks=2 --remarks-filter=collectives 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not partita-opt %s --partita="collective-matmul=true machine=cpu" 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: collective-matmul puts communication beside work, but collectives do not overlap with work on machine 'cpu' with async=auto; fix: use async=on

module {
  spmd.mesh @m = <["x"=2, "y"=3]>

  // Blocks of a free dimension become blocks of the result.
  // CHECK-LABEL: func.func @free(
  // CHECK-SAME:    %[[SHARD:.*]]: tensor<4096x6144xf32>, %[[W:.*]]: tensor<6144x5120xf32>
  // CHECK:         %[[INDEX:.*]] = spmd.axis_index {"x"} on @m
  // CHECK:         %[[NEXT:.*]] = spmd.permute %[[SHARD]] {"x"} pairs = [0, 1, 1, 0] on @m
  // CHECK:         %[[FIRST:.*]] = stablehlo.dot_general %[[SHARD]], %[[W]], {{.*}} -> tensor<4096x5120xf32>
  // CHECK:         %[[HALF:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %[[FIRST]], {{.*}} -> tensor<8192x5120xf32>
  // CHECK:         %[[SECOND:.*]] = stablehlo.dot_general %[[NEXT]], %[[W]], {{.*}} -> tensor<4096x5120xf32>
  // CHECK:         %[[BOTH:.*]] = stablehlo.dynamic_update_slice %[[HALF]], %[[SECOND]], {{.*}} -> tensor<8192x5120xf32>
  // CHECK-NOT:     spmd.all_gather
  // CHECK:         return %[[BOTH]]
  func.func @free(%arg0: tensor<4096x6144xf32>, %arg1: tensor<6144x5120xf32>) -> tensor<8192x5120xf32> {
    %0 = spmd.all_gather %arg0 [{"x"}, {} ] on @m : (tensor<4096x6144xf32>) -> tensor<8192x6144xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8192x6144xf32>, tensor<6144x5120xf32>) -> tensor<8192x5120xf32>
    return %1 : tensor<8192x5120xf32>
  }

  // Blocks of a contracted dimension add up, where the other operand differs between
  // devices; each takes its part of the other
  // operand. Both readers share the ring, and what is gathered over two axes goes
  // round all six devices.
  // CHECK-LABEL: func.func @contracted(
  // CHECK:         spmd.axis_index {"x", "y"} on @m
  // CHECK:         spmd.permute %{{.*}} {"x", "y"} pairs = [0, 5, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4] on @m
  // CHECK:         stablehlo.dynamic_slice %arg1, {{.*}} -> tensor<2048x5120xf32>
  // CHECK:         stablehlo.dot_general {{.*}} : (tensor<3072x2048xf32>, tensor<2048x5120xf32>) -> tensor<3072x5120xf32>
  // CHECK:         stablehlo.dot_general {{.*}} : (tensor<3072x2048xf32>, tensor<2048x7168xf32>) -> tensor<3072x7168xf32>
  // CHECK-COUNT-4: spmd.permute
  // CHECK-NOT:     spmd.permute
  // CHECK:         return
  // FEW: func.func @contracted
  // FEW: spmd.all_gather
  func.func @contracted(%arg0: tensor<3072x2048xf32>, %arg1: tensor<12288x5120xf32> {spmd.global_type = tensor<12288x30720xf32>, spmd.sharding = #spmd.sharding<@m, [{}, {"x", "y"}]>}, %arg2: tensor<12288x7168xf32> {spmd.global_type = tensor<12288x43008xf32>, spmd.sharding = #spmd.sharding<@m, [{}, {"x", "y"}]>}) -> (tensor<3072x5120xf32>, tensor<3072x7168xf32>) {
    %0 = spmd.all_gather %arg0 [{}, {"x", "y"} ] on @m : (tensor<3072x2048xf32>) -> tensor<3072x12288xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<3072x12288xf32>, tensor<12288x5120xf32>) -> tensor<3072x5120xf32>
    %2 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<3072x12288xf32>, tensor<12288x7168xf32>) -> tensor<3072x7168xf32>
    return %1, %2 : tensor<3072x5120xf32>, tensor<3072x7168xf32>
  }

  // Sums travel to the device that keeps them.
  // CHECK-LABEL: func.func @scattered(
  // CHECK:         %[[A:.*]] = stablehlo.dot_general {{.*}} -> tensor<3072x5120xf32>
  // CHECK:         %[[MOVED:.*]] = spmd.permute %[[A]] {"y"} pairs = [0, 2, 1, 0, 2, 1] on @m
  // CHECK:         %[[B:.*]] = stablehlo.dot_general {{.*}} -> tensor<3072x5120xf32>
  // CHECK:         stablehlo.add %[[MOVED]], %[[B]]
  // CHECK:         spmd.permute
  // CHECK-NOT:     spmd.reduce_scatter
  // CHECK:         return
  func.func @scattered(%arg0: tensor<9216x6144xf32>, %arg1: tensor<6144x5120xf32>) -> tensor<3072x5120xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<9216x6144xf32>, tensor<6144x5120xf32>) -> tensor<9216x5120xf32>
    %1 = spmd.reduce_scatter add %0 [{"y"}, {} ] on @m : (tensor<9216x5120xf32>) -> tensor<3072x5120xf32>
    return %1 : tensor<3072x5120xf32>
  }

  // The launches cost more than the gather.
  // CHECK-LABEL: func.func @small(
  // CHECK:         spmd.all_gather
  // REFUSED: NotDecomposed{{.*}}spmd.all_gather as 1 steps of a ring, each beside one block of 1 contractions:
  func.func @small(%arg0: tensor<4x6xf32>, %arg1: tensor<6x5xf32>) -> tensor<8x5xf32> {
    %0 = spmd.all_gather %arg0 [{"x"}, {} ] on @m : (tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
    return %1 : tensor<8x5xf32>
  }

  // Left alone: another op reads the gathered value; one op reads it twice; the
  // other operand is not known at the first reader; a largest value does not add
  // up; another op reads the sum.
  // CHECK-LABEL: func.func @left(
  // CHECK-COUNT-3: spmd.all_gather
  // CHECK-COUNT-2: spmd.reduce_scatter
  // CHECK-NOT:     spmd.permute
  func.func @left(%arg0: tensor<4096x8192xf32>, %arg1: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<4096x8192xf32>, tensor<4096x8192xf32>) {
    %0 = spmd.all_gather %arg0 [{"x"}, {} ] on @m : (tensor<4096x8192xf32>) -> tensor<8192x8192xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %2 = stablehlo.negate %0 : tensor<8192x8192xf32>
    %3 = stablehlo.tanh %arg0 : tensor<4096x8192xf32>
    %4 = spmd.all_gather %3 [{"x"}, {} ] on @m : (tensor<4096x8192xf32>) -> tensor<8192x8192xf32>
    %5 = stablehlo.dot_general %4, %4, contracting_dims = [1] x [0] : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %6 = stablehlo.sine %arg0 : tensor<4096x8192xf32>
    %7 = spmd.all_gather %6 [{"x"}, {} ] on @m : (tensor<4096x8192xf32>) -> tensor<8192x8192xf32>
    %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [0] : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %10 = spmd.reduce_scatter max %9 [{"x"}, {} ] on @m : (tensor<8192x8192xf32>) -> tensor<4096x8192xf32>
    %11 = spmd.reduce_scatter add %8 [{"x"}, {} ] on @m : (tensor<8192x8192xf32>) -> tensor<4096x8192xf32>
    return %1, %2, %5, %8, %10, %11 : tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<4096x8192xf32>, tensor<4096x8192xf32>
  }
}
