// RUN: partita-opt --convert-spmd-to-stablehlo %s | FileCheck %s
// RUN: partita-opt --convert-spmd-to-stablehlo=axis-groups %s | FileCheck %s --check-prefix=HLO
// RUN: partita-opt --convert-spmd-to-stablehlo=expand-broadcasts %s | FileCheck %s --check-prefix=EXPAND

spmd.mesh @m = <["x"=4, "y"=2]>
// Position i is device (i % 2) * 4 + i / 2.
spmd.mesh @swapped = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>

// CHECK-LABEL: func.func @gather
// HLO-LABEL: func.func @gather
func.func @gather(%arg0: tensor<8x6xf32>) -> (tensor<32x6xf32>, tensor<16x12xf32>) {
  // CHECK: %[[A:.*]] = "stablehlo.all_gather"(%arg0)
  // CHECK-SAME: all_gather_dim = 0
  // CHECK-SAME: channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>
  // CHECK-SAME: use_global_device_ids
  // HLO: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>
  %0 = spmd.all_gather %arg0 [{"x"}, {}] on @m : (tensor<8x6xf32>) -> tensor<32x6xf32>
  // Two dimensions: one gather along a new one, then the blocks move to their places.
  // CHECK: %[[ROW:.*]] = stablehlo.reshape %arg0 : (tensor<8x6xf32>) -> tensor<1x8x6xf32>
  // CHECK: %[[B:.*]] = "stablehlo.all_gather"(%[[ROW]])
  // CHECK-SAME: all_gather_dim = 0
  // CHECK-SAME: handle = 2
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]>
  // HLO: axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>, #stablehlo.axis_ref<name = "y">]
  // CHECK: %[[GRID:.*]] = stablehlo.reshape %[[B]] : (tensor<4x8x6xf32>) -> tensor<2x2x8x6xf32>
  // CHECK: %[[PLACED:.*]] = stablehlo.transpose %[[GRID]], dims = [0, 2, 1, 3] : (tensor<2x2x8x6xf32>) -> tensor<2x8x2x6xf32>
  // CHECK: %[[C:.*]] = stablehlo.reshape %[[PLACED]] : (tensor<2x8x2x6xf32>) -> tensor<16x12xf32>
  // CHECK: return %[[A]], %[[C]]
  %1 = spmd.all_gather %arg0 [{"x":(2)2}, {"y"}] on @m : (tensor<8x6xf32>) -> tensor<16x12xf32>
  return %0, %1 : tensor<32x6xf32>, tensor<16x12xf32>
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%arg0: tensor<8x6xf32>, %arg1: tensor<4xi1>) -> (tensor<8x6xf32>, tensor<2x3xf32>, tensor<4xi1>) {
  // CHECK: "stablehlo.all_reduce"(%arg0)
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]>
  // CHECK: stablehlo.maximum
  %0 = spmd.all_reduce max %arg0 {"x", "y"} on @m : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: %[[GRID:.*]] = stablehlo.reshape %arg0 : (tensor<8x6xf32>) -> tensor<4x2x2x3xf32>
  // CHECK: %[[BLOCKS:.*]] = stablehlo.transpose %[[GRID]], dims = [0, 2, 1, 3] : (tensor<4x2x2x3xf32>) -> tensor<4x2x2x3xf32>
  // CHECK: %[[FLAT:.*]] = stablehlo.reshape %[[BLOCKS]] : (tensor<4x2x2x3xf32>) -> tensor<8x2x3xf32>
  // CHECK: %[[OWN:.*]] = "stablehlo.reduce_scatter"(%[[FLAT]])
  // CHECK-SAME: scatter_dimension = 0
  // CHECK: stablehlo.add
  // CHECK: (tensor<8x2x3xf32>) -> tensor<1x2x3xf32>
  // CHECK: stablehlo.reshape %[[OWN]] : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %1 = spmd.reduce_scatter add %arg0 [{"x"}, {"y"}] on @m : (tensor<8x6xf32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.all_reduce"(%arg1)
  // CHECK: stablehlo.or
  %2 = spmd.all_reduce or %arg1 {"y"} on @m : (tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<8x6xf32>, tensor<2x3xf32>, tensor<4xi1>
}

// Several values: one op each.
// CHECK-LABEL: func.func @several
func.func @several(%arg0: tensor<8xf32>, %arg1: tensor<2xi32>) -> (tensor<8xf32>, tensor<2xi32>) {
  // CHECK: %[[F:.*]] = "stablehlo.all_reduce"(%arg0)
  // CHECK: %[[I:.*]] = "stablehlo.all_reduce"(%arg1)
  // CHECK: return %[[F]], %[[I]]
  %0:2 = spmd.all_reduce add %arg0, %arg1 {"x"} on @m : (tensor<8xf32>, tensor<2xi32>) -> (tensor<8xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @slice
func.func @slice(%arg0: tensor<8x6xf32>, %arg1: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>) {
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: stablehlo.divide %[[ID]], %{{.*}} : tensor<ui32>
  // CHECK: %[[X:.*]] = stablehlo.convert
  // CHECK: %[[START:.*]] = stablehlo.multiply %[[X]]
  // CHECK: stablehlo.remainder
  // CHECK: stablehlo.dynamic_slice %arg0, %[[START]], %{{.*}}, sizes = [2, 3]
  %0 = spmd.all_slice %arg0 [{"x"}, {"y"}] on @m : (tensor<8x6xf32>) -> tensor<2x3xf32>
  // Block 3 lies behind the end: its start is clamped to that of block 2, then
  // two blocks, of which the second is zero, are cut from 1.
  // CHECK: %[[AT:.*]] = stablehlo.convert
  // CHECK: %[[LAST:.*]] = stablehlo.constant dense<2>
  // CHECK: %[[MOVED:.*]] = stablehlo.subtract %[[AT]], %[[LAST]]
  // CHECK: %[[CLAMPED:.*]] = stablehlo.dynamic_slice %arg1, %[[AT]], sizes = [1]
  // CHECK: %[[TWO:.*]] = stablehlo.pad %[[CLAMPED]], %{{.*}}, low = [0], high = [1]
  // CHECK: stablehlo.dynamic_slice %[[TWO]], %[[MOVED]], sizes = [1]
  %1 = spmd.all_slice %arg1 [{"x"}] on @m : (tensor<3xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @all_to_all
func.func @all_to_all(%arg0: tensor<8x6x4xf32>) -> (tensor<2x24x4xf32>, tensor<4x24x2xf32>) {
  // CHECK: %[[PARTS:.*]] = stablehlo.reshape %arg0 : (tensor<8x6x4xf32>) -> tensor<4x2x6x4xf32>
  // CHECK: %[[CUT:.*]] = stablehlo.transpose %[[PARTS]], dims = [1, 0, 2, 3] : (tensor<4x2x6x4xf32>) -> tensor<2x4x6x4xf32>
  // CHECK: %[[ALL:.*]] = "stablehlo.all_to_all"(%[[CUT]])
  // CHECK-SAME: concat_dimension = 1
  // CHECK-SAME: split_count = 4
  // CHECK-SAME: split_dimension = 1
  // CHECK: stablehlo.reshape %[[ALL]] : (tensor<2x4x6x4xf32>) -> tensor<2x24x4xf32>
  %0 = spmd.all_to_all %arg0 [{"x"}: 1 -> 0] on @m : (tensor<8x6x4xf32>) -> tensor<2x24x4xf32>
  // Two moves, one exchange of blocks between transposes.
  // CHECK: stablehlo.transpose {{.*}} dims = [0, 3, 1, 2, 4]
  // CHECK: %[[M:.*]] = "stablehlo.all_to_all"
  // CHECK-SAME: concat_dimension = 0
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 4, 5], [2, 3, 6, 7]]>
  // CHECK-NOT: stablehlo.all_to_all
  // CHECK: stablehlo.transpose {{.*}} dims = [2, 1, 0, 3, 4]
  // CHECK: stablehlo.reshape {{.*}} -> tensor<4x24x2xf32>
  %1 = spmd.all_to_all %arg0 [{"x":(1)2}: 1 -> 0, {"y"}: 1 -> 2] on @m : (tensor<8x6x4xf32>) -> tensor<4x24x2xf32>
  return %0, %1 : tensor<2x24x4xf32>, tensor<4x24x2xf32>
}

// CHECK-LABEL: func.func @permute
func.func @permute(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: "stablehlo.collective_permute"(%arg0)
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [1, 3], [3, 5], [5, 7]]>
  %0 = spmd.permute %arg0 {"x"} shift = [1] on @m : (tensor<8xf32>) -> tensor<8xf32>
  // Pairs are of devices, not positions.
  // CHECK: "stablehlo.collective_permute"(%arg0)
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]>
  %1 = spmd.permute %arg0 {"x"} shift = [1] wrap on @swapped : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The root leads each group; or all but the root add minus zero.
// CHECK-LABEL: func.func @broadcast
// EXPAND-LABEL: func.func @broadcast
func.func @broadcast(%arg0: tensor<8xf32>, %arg1: tensor<2xi1>) -> (tensor<8xf32>, tensor<2xi1>) {
  // CHECK: "stablehlo.collective_broadcast"(%arg0)
  // CHECK-SAME{LITERAL}: replica_groups = dense<[[4, 6, 0, 2], [5, 7, 1, 3]]>
  // EXPAND: %[[ZERO:.*]] = stablehlo.negate
  // EXPAND: %[[ROOT:.*]] = stablehlo.compare EQ
  // EXPAND: %[[MASKED:.*]] = stablehlo.select %[[ROOT]], %arg0, %[[ZERO]]
  // EXPAND: "stablehlo.all_reduce"(%[[MASKED]])
  // EXPAND: stablehlo.add
  %0 = spmd.broadcast %arg0 {"x"} root = 2 on @m : tensor<8xf32>
  // EXPAND: "stablehlo.all_reduce"
  // EXPAND: stablehlo.or
  %1 = spmd.broadcast %arg1 {"x"} root = 2 on @m : tensor<2xi1>
  return %0, %1 : tensor<8xf32>, tensor<2xi1>
}

// CHECK-LABEL: func.func @index
func.func @index(%arg0: tensor<2xf32>) -> (tensor<i32>, tensor<i32>, tensor<2xf32>) {
  // y * 2 + x / 2
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: %[[Y:.*]] = stablehlo.remainder %[[ID]]
  // CHECK: %[[X:.*]] = stablehlo.divide %[[ID]]
  // CHECK: %[[Y2:.*]] = stablehlo.multiply %[[Y]]
  // CHECK: stablehlo.add %[[Y2]], %[[X]]
  %0 = spmd.axis_index {"y", "x":(1)2} on @m : tensor<i32>
  // Position (id % 4) * 2 + id / 4, then its x.
  // CHECK: %[[ID:.*]] = stablehlo.partition_id
  // CHECK: stablehlo.remainder %[[ID]]
  // CHECK: stablehlo.divide %[[ID]]
  // CHECK: %[[POSITION:.*]] = stablehlo.add
  // CHECK: stablehlo.divide %[[POSITION]]
  %1 = spmd.axis_index {"x"} on @swapped : tensor<i32>
  // The first device keeps its value, the others hold the neutral element.
  // CHECK: %[[INF:.*]] = stablehlo.constant dense<0x7F800000>
  // CHECK: stablehlo.select %{{.*}}, %arg0, %[[INF]]
  %2 = spmd.to_unreduced min %arg0 {"y"} on @m : tensor<2xf32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<2xf32>
}

// Blocks of 4 with a halo of 1 on both sides, put beside the own block; devices
// at the ends get zeros, since none sends to them.
// CHECK-LABEL: func.func @halo
func.func @halo(%arg0: tensor<4xf32>) -> tensor<6xf32> {
  // CHECK: %[[LAST:.*]] = stablehlo.slice %arg0 [3:4]
  // CHECK: %[[LEFT:.*]] = "stablehlo.collective_permute"(%[[LAST]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [1, 3], [3, 5], [5, 7]]>
  // CHECK: %[[FIRST:.*]] = stablehlo.slice %arg0 [0:1]
  // CHECK: %[[RIGHT:.*]] = "stablehlo.collective_permute"(%[[FIRST]])
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[2, 0], [4, 2], [6, 4], [3, 1], [5, 3], [7, 5]]>
  // CHECK: %[[ALL:.*]] = stablehlo.concatenate %[[LEFT]], %arg0, %[[RIGHT]], dim = 0
  // CHECK: return %[[ALL]]
  %0 = spmd.exchange %arg0 [16] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*4 : 6] : (tensor<4xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Of two dimensions, one after the other: four rounds for eight neighbours. The
// last block of 14 is short, and what is past its end is zero.
// CHECK-LABEL: func.func @halos
func.func @halos(%arg0: tensor<4x3xf32>) -> tensor<6x5xf32> {
  // CHECK: %[[VALID:.*]] = stablehlo.select %{{.*}}, %arg0, %{{.*}} : tensor<4x3xi1>, tensor<4x3xf32>
  // CHECK-COUNT-2: "stablehlo.collective_permute"
  // CHECK: %[[ROWS:.*]] = stablehlo.concatenate %{{.*}}, %[[VALID]], %{{.*}}, dim = 0 {{.*}} -> tensor<6x3xf32>
  // CHECK-COUNT-2: "stablehlo.collective_permute"
  // CHECK: stablehlo.concatenate %{{.*}}, %[[ROWS]], %{{.*}}, dim = 1 {{.*}} -> tensor<6x5xf32>
  // CHECK-NOT: collective_permute
  // CHECK: return
  %0 = spmd.exchange %arg0 [14, 6] from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {"y"}]> [-1 + i*4 : 6, -1 + i*3 : 5] : (tensor<4x3xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// A step that is no block: what the device has of it, then what comes in rounds.
// CHECK-LABEL: func.func @exchange
func.func @exchange(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[BOX:.*]] = stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK: %[[GOT:.*]] = "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: source_target_pairs = dense<[[
  // CHECK: stablehlo.select %{{.*}}, %[[GOT]]
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK-NOT: tensor<8xi32>
  // CHECK: return
  %0 = spmd.exchange %arg0 [16] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*3 : 4] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// JAX's spelling of an op that StableHLO lacks; its groups list devices in every form.
// CHECK-LABEL: func.func @ragged
// HLO-LABEL: func.func @ragged
func.func @ragged(%arg0: tensor<8x6xf32>, %arg1: tensor<12x6xf32>, %arg2: tensor<4xi32>) -> tensor<12x6xf32> {
  // CHECK: stablehlo.custom_call @ragged_all_to_all(%arg0, %arg1, %arg2, %arg2, %arg2, %arg2) {api_version = 4 : i32, backend_config = {channel_id = {{.*}}replica_groups = dense<{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}}
  // HLO: stablehlo.custom_call @ragged_all_to_all{{.*}}replica_groups = dense<
  %0 = spmd.ragged_all_to_all %arg0, %arg1, %arg2, %arg2, %arg2, %arg2 {"x"} on @m : (tensor<8x6xf32>, tensor<12x6xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}

// CHECK-LABEL: func.func @async
func.func @async(%arg0: tensor<8xf32>) -> tensor<32xf32> {
  // CHECK-NEXT: %[[G:.*]] = "stablehlo.all_gather"(%arg0)
  // CHECK-NEXT: return %[[G]]
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    %g = spmd.all_gather %a [{"x"}] on @m : (tensor<8xf32>) -> tensor<32xf32>
    spmd.return %g : tensor<32xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<32xf32>>
  %1 = spmd.done %0 : !spmd.future<tensor<32xf32>> -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// A slice that another op indexes is kept apart from it; not where the inner
// start is a constant.
// CHECK-LABEL: func.func @slice_of_slice
func.func @slice_of_slice(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<1xf32>, tensor<1xf32>) {
  // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %arg0
  // CHECK: %[[B:.*]] = stablehlo.optimization_barrier %[[S]]
  // CHECK: stablehlo.dynamic_slice %[[B]], %arg1
  %0 = spmd.all_slice %arg0 [{"x"}] on @m : (tensor<8xf32>) -> tensor<2xf32>
  %1 = stablehlo.dynamic_slice %0, %arg1, sizes = [1] : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  // CHECK: %[[T:.*]] = stablehlo.dynamic_slice %arg0
  // CHECK: stablehlo.dynamic_slice %[[T]]
  %c = stablehlo.constant dense<1> : tensor<i32>
  %2 = spmd.all_slice %arg0 [{"y"}] on @m : (tensor<8xf32>) -> tensor<4xf32>
  %3 = stablehlo.dynamic_slice %2, %c, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  return %1, %3 : tensor<1xf32>, tensor<1xf32>
}

// Only signatures keep spmd attributes; other attributes stay.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: spmd.sharding
func.func @attributes(%arg0: tensor<8xf32> {spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.custom_call @f(%arg0) {mhlo.frontend_attributes = {a = "b"}}
  %0 = stablehlo.custom_call @f(%arg0) {mhlo.frontend_attributes = {a = "b"}, spmd.sharding_rule = {}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
