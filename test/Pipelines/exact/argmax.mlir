// The pair reductions of jnp.argmax and argmin: partials of both values travel
// together, ties go to the smaller index, the init is an argument.
// RUN: split-file %s %t
// RUN: for o in time bytes; do for f in %t/*.mlir; do partita-run $f --compare=exact --compare-each \
// RUN:   --partita="uneven-io=pad objective=$o" || echo "failed: $f"; done; done > %t.out
// RUN: FileCheck %s --implicit-check-not=failed --implicit-check-not=vacuous < %t.out
// CHECK-COUNT-6: equal (exact

//--- rows.mlir
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %i = stablehlo.iota dim = 0 : tensor<7x5xi32>
    %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%i init: %arg2) across dimensions = [0] : (tensor<7x5xf32>, tensor<7x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
     reducer(%v: tensor<f32>, %w: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
      %1 = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %v, %w : tensor<i1>, tensor<f32>
      %9 = stablehlo.select %7, %k, %l : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
  }
}

//--- columns.mlir
// Argmin along the sharded minor dimension.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<6x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<6xf32>, tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %i = stablehlo.iota dim = 1 : tensor<6x9xi32>
    %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%i init: %arg2) across dimensions = [1] : (tensor<6x9xf32>, tensor<6x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
     reducer(%v: tensor<f32>, %w: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
      %1 = stablehlo.compare LT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %v, %w : tensor<i1>, tensor<f32>
      %9 = stablehlo.select %7, %k, %l : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
  }
}

//--- vector.mlir
// A scalar pair out of a vector on eight devices, with fewer elements.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %i = stablehlo.iota dim = 0 : tensor<5xi32>
    %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%i init: %arg2) across dimensions = [0] : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%v: tensor<f32>, %w: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
      %1 = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %v, %w : tensor<i1>, tensor<f32>
      %9 = stablehlo.select %7, %k, %l : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
}
