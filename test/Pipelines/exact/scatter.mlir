// Updates at indices, some out of bounds (dropped), some equal (combined by the body).
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-16: equal (exact

//--- add_rows.mlir
// The operand is split along the scattered dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
    return %0 : tensor<7x6xf32>
  }
}

//--- add_updates.mlir
// The updates are split, so every device has a partial sum of the whole table.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x6xf32>, %arg1: tensor<9xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<7x6xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<9xi32>, tensor<9x6xf32>) -> tensor<7x6xf32>
    return %0 : tensor<7x6xf32>
  }
}

//--- max.mlir
// Maximum of what lands on one place.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<9xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.maximum %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<9xi32>, tensor<9x6xf32>) -> tensor<7x6xf32>
    return %0 : tensor<7x6xf32>
  }
}

//--- set.mlir
// Set, whose later updates win: in the order of the indices.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<5xi32>, %arg2: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      stablehlo.return %w : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
    return %0 : tensor<7x6xf32>
  }
}

//--- set_updates.mlir
// Set with sharded updates keeps their order.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<9xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x6xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      stablehlo.return %w : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<9xi32>, tensor<9x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}

//--- batched.mlir
// A batch dimension on all three.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<5x7xf32>, tensor<5x4xi32>, tensor<5x4xf32>) -> tensor<5x7xf32>
    return %0 : tensor<5x7xf32>
  }
}

//--- same_value.mlir
// One value is indices and updates: only as indices is it shifted.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<7xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg1: tensor<5xi32>) -> (tensor<7xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<i32>, %w: tensor<i32>):
      %r = stablehlo.add %v, %w : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }) : (tensor<7xi32>, tensor<5xi32>, tensor<5xi32>) -> tensor<7xi32>
    return %0 : tensor<7xi32>
  }
}

//--- windows.mlir
// Windows of two rows; one that does not fit is dropped whole.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<5x1xi32>, %arg2: tensor<5x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%v: tensor<f32>, %w: tensor<f32>):
      %r = stablehlo.add %v, %w : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x2x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
