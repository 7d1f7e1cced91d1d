// RUN: partita-opt %s --spmd-expand-ops | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --compare=unsharded
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --engine=jit --compare=unsharded

// A scan becomes a loop over its rows: 5, 7 and 6 rows on meshes 2x3 and 2x4.
// The layouts that the op names stay with its values.

spmd.mesh @m = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@m, [{"x"}, {"y"}]>
#yx = #spmd.sharding<@m, [{"y"}, {"x"}]>
#x = #spmd.sharding<@m, [{"x"}]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<5x7xf32> {spmd.sharding = #xy}, %p: tensor<7x5x6xf32> {spmd.sharding = #spmd.sharding<@m, [{"y"}, {"x"}, {}]>}, %i: tensor<5xf32> {spmd.sharding = #x}, %k: tensor<5x6xf32>, %z: tensor<0x5xf32>) -> (tensor<5x7xf32> {spmd.sharding = #xy}, tensor<5xf32>, tensor<5x7xf32>, tensor<7x5xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<0x5xf32>, tensor<5xf32>) {
  // Batch rows beside a sharded scanned dimension.
  // CHECK-DAG: %[[ROWS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<5x7xf32>
  // CHECK: %[[LOOP:.*]]:4 = stablehlo.while(%[[AT:.*]] = %{{.*}}, %[[IN:.*]] = %arg0, %[[OUT:.*]] = %[[ROWS]], %[[SUM:.*]] = %arg2)
  // CHECK: stablehlo.compare LT, %[[AT]], %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: %[[SLICE:.*]] = stablehlo.dynamic_slice %[[IN]], %{{.*}}, %[[AT]], sizes = [5, 1]
  // CHECK: %[[ROW:.*]] = stablehlo.reshape %[[SLICE]] : (tensor<5x1xf32>) -> tensor<5xf32>
  // CHECK: %[[NEXT:.*]] = stablehlo.add %[[ROW]], %[[SUM]]
  // CHECK: %[[MADE:.*]] = stablehlo.reshape %[[NEXT]] : (tensor<5xf32>) -> tensor<5x1xf32>
  // CHECK: %[[WRITTEN:.*]] = stablehlo.dynamic_update_slice %[[OUT]], %[[MADE]], %{{.*}}, %[[AT]]
  // CHECK: stablehlo.return %{{.*}}, %[[IN]], %[[WRITTEN]], %[[NEXT]]
  // CHECK: spmd.constraint %[[LOOP]]#2 <@m, [{"y"}, {"x"}]>
  %0:2 = chlo.scan(%a) inits(%i) dimension=1 attributes {spmd.shardings = [#yx, #x]} {
  ^bb0(%in: tensor<5xf32>, %carry: tensor<5xf32>):
    %s = stablehlo.add %in, %carry : tensor<5xf32>
    stablehlo.return %s, %s : tensor<5xf32>, tensor<5xf32>
  } : (tensor<5x7xf32>, tensor<5xf32>) -> (tensor<5x7xf32>, tensor<5xf32>)
  // From the last row, with inputs alone.
  // CHECK: stablehlo.while
  // CHECK: stablehlo.subtract
  %1 = chlo.scan(%a) inits() dimension=0 attributes {is_reverse = true} {
  ^bb0(%in: tensor<7xf32>):
    %s = stablehlo.multiply %in, %in : tensor<7xf32>
    stablehlo.return %s : tensor<7xf32>
  } : (tensor<5x7xf32>) -> tensor<5x7xf32>
  // The body contracts one dimension of the carry and keeps the other.
  %2:2 = chlo.scan(%p) inits(%k) dimension=0 attributes {is_reverse = true} {
  ^bb0(%in: tensor<5x6xf32>, %carry: tensor<5x6xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%carry init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x6xf32>, tensor<f32>) -> tensor<5xf32>
    %spread = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<5xf32>) -> tensor<5x6xf32>
    %c = stablehlo.subtract %in, %spread : tensor<5x6xf32>
    stablehlo.return %sum, %c : tensor<5xf32>, tensor<5x6xf32>
  } : (tensor<7x5x6xf32>, tensor<5x6xf32>) -> (tensor<7x5xf32>, tensor<5x6xf32>)
  // Without inputs the number of rows is an attribute.
  %3:2 = chlo.scan() inits(%i) dimension=1 attributes {scan_dim_size = 6 : i64} {
  ^bb0(%carry: tensor<5xf32>):
    %s = stablehlo.add %carry, %carry : tensor<5xf32>
    stablehlo.return %carry, %s : tensor<5xf32>, tensor<5xf32>
  } : (tensor<5xf32>) -> (tensor<5x6xf32>, tensor<5xf32>)
  %4 = stablehlo.broadcast_in_dim %3#1, dims = [0] : (tensor<5xf32>) -> tensor<5x6xf32>
  // No rows: the inits are the carries.
  // CHECK-NOT: stablehlo.while{{.*}}tensor<0x5xf32>
  %5:2 = chlo.scan(%z) inits(%i) dimension=0 {
  ^bb0(%in: tensor<5xf32>, %carry: tensor<5xf32>):
    stablehlo.return %in, %in : tensor<5xf32>, tensor<5xf32>
  } : (tensor<0x5xf32>, tensor<5xf32>) -> (tensor<0x5xf32>, tensor<5xf32>)
  %6 = stablehlo.add %4, %3#0 : tensor<5x6xf32>
  return %0#0, %0#1, %1, %2#0, %2#1, %6, %5#0, %5#1 : tensor<5x7xf32>, tensor<5xf32>, tensor<5x7xf32>, tensor<7x5xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<0x5xf32>, tensor<5xf32>
}
