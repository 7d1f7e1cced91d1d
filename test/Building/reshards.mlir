// Every kind of reshard as the collectives of its plan.
// RUN: partita-opt %s --spmd-partition | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=4]>

// More shards: each device keeps a slice of what it has.
// CHECK-LABEL: func.func @slice
// CHECK-NEXT:    spmd.all_slice %arg0 [{"x"}, {}] on @mesh : (tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    return
func.func @slice(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = spmd.reshard %a <@mesh, [{"x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Fewer shards.
// CHECK-LABEL: func.func @gather
// CHECK-NEXT:    spmd.all_gather %arg0 [{}, {"y"}] on @mesh : (tensor<4x2xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    return
func.func @gather(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = spmd.reshard %a <@mesh, [{"x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// An uneven dimension is gathered with its padding, which is then cut off.
// CHECK-LABEL: func.func @gather_uneven
// CHECK-NEXT:    %[[G:.*]] = spmd.all_gather %arg0 [{"y"}] on @mesh : (tensor<2xf32>) -> tensor<8xf32>
// CHECK-NEXT:    stablehlo.slice %[[G]] [0:7] : (tensor<8xf32>) -> tensor<7xf32>
func.func @gather_uneven(%a: tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> (tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  %0 = spmd.reshard %a <@mesh, [{}]> {spmd.shardings = [#spmd.sharding<@mesh, [{}]>]} : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// The other way the last block is short: its tail is padding.
// CHECK-LABEL: func.func @slice_uneven
// CHECK-NEXT:    spmd.all_slice %arg0 [{"y"}] on @mesh : (tensor<7xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return
func.func @slice_uneven(%a: tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}]>}) -> (tensor<7xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) {
  %0 = spmd.reshard %a <@mesh, [{"y"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"y"}]>]} : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// An axis goes to another dimension.
// CHECK-LABEL: func.func @move
// CHECK-NEXT:    spmd.all_to_all %arg0 [{"y"}: 0 -> 1] on @mesh : (tensor<2x8xf32>) -> tensor<8x2xf32>
// CHECK-NEXT:    return
func.func @move(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = spmd.reshard %a <@mesh, [{}, {"y"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The same blocks on other devices.
// CHECK-LABEL: func.func @renumber
// CHECK-NEXT:    spmd.permute %arg0 {"x", "y"} to {"y", "x"} on @mesh : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT:    return
func.func @renumber(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y", "x"}, {}]>}) {
  %0 = spmd.reshard %a <@mesh, [{"y", "x"}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{"y", "x"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Partial sums become whole, of their own kind.
// CHECK-LABEL: func.func @reduce
// CHECK:         %[[D:.*]] = stablehlo.dot_general
// CHECK-NEXT:    spmd.all_reduce add %[[D]] {"y"} on @mesh : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    return
func.func @reduce(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {}], unreduced={"y"}>]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = spmd.reshard %0 <@mesh, [{}, {}]> {spmd.shardings = [#spmd.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Or each device gets the sum of its block.
// CHECK-LABEL: func.func @reduce_scatter
// CHECK:         %[[D:.*]] = stablehlo.dot_general
// CHECK-NEXT:    spmd.reduce_scatter add %[[D]] [{}, {"y"}] on @mesh : (tensor<8x8xf32>) -> tensor<8x2xf32>
// CHECK-NEXT:    return
func.func @reduce_scatter(%a: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {spmd.shardings = [#spmd.sharding<@mesh, [{}, {}], unreduced={"y"}>]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = spmd.reshard %0 <@mesh, [{}, {"y"}]> {spmd.shardings = [#spmd.sharding<@mesh, [{}, {"y"}]>]} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
