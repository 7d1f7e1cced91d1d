// A collective that only some devices of its group reach is refused, by name of the
// devices with their coordinates.
// RUN: not partita-run %s --engine=eval --compare=none 2>&1 | FileCheck %s
// CHECK: differing-predicate.mlir:[[#@LINE+13]]:14: error: a predicate that differs between devices: of one group of 'spmd.all_reduce', device 0 (x=0) arrive and device 1 (x=1) do not
// CHECK: note: fix: make the predicate the same on all devices of the group
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%x: tensor<2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
      -> (tensor<2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %r = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>]
        out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<1xi32>) {
      %zero = stablehlo.constant dense<0> : tensor<ui32>
      %id = stablehlo.partition_id : tensor<ui32>
      %p = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %y = "stablehlo.if"(%p) ({
        // The other branch has no collective.
        %s = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
            channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            use_global_device_ids}> ({
        ^bb0(%u: tensor<i32>, %v: tensor<i32>):
          %w = stablehlo.add %u, %v : tensor<i32>
          stablehlo.return %w : tensor<i32>
        }) : (tensor<1xi32>) -> tensor<1xi32>
        stablehlo.return %s : tensor<1xi32>
      }, {
        stablehlo.return %b : tensor<1xi32>
      }) : (tensor<i1>) -> tensor<1xi32>
      sdy.return %y : tensor<1xi32>
    } : (tensor<2xi32>) -> tensor<2xi32>
    return %r : tensor<2xi32>
  }
}
