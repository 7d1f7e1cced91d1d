// A user's own collectives, in a ring loop with an invariant gather, on 2 x 3
// devices: hoisted, peeled, combined and started early, and still exact.
// RUN: partita-run %s --compare=exact --json | FileCheck %s
// RUN: partita-run %s --compare=exact --partita="machine=cpu objective=bytes async=on" | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %s --compare=exact --partita="async=off" | FileCheck %s --check-prefix=EQUAL
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded --partita="machine=cpu async=on" | FileCheck %s --check-prefix=EQUAL
// RUN: partita-opt %s --partita="machine=cpu async=on" | FileCheck %s --check-prefix=IR
// RUN: partita-translate %s --spmd-to-manual --partita="machine=cpu async=on" | FileCheck %s --check-prefix=JOINED

// Of four trips, three permutes; one gather, before the loop; two sums in one.
// CHECK: "equal":true
// CHECK-SAME: "all_gather":[1,140],"all_reduce":[1,56],"permute":[3,60]
// EQUAL: {{^}}equal

// IR: %[[G:.*]] = spmd.start
// IR-NEXT: spmd.all_gather
// IR: stablehlo.dot_general
// IR: spmd.done %[[G]]
// IR: stablehlo.while
// IR: spmd.all_reduce add %{{.*}}, %{{.*}} {"x"}
// JOINED-NOT: spmd.
// JOINED: "stablehlo.all_gather"
// JOINED: "stablehlo.collective_permute"
// JOINED-COUNT-2: "stablehlo.all_reduce"
// JOINED-NOT: "stablehlo.collective_permute"
module @ring attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(
      %x: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
      %w: tensor<10x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %d: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
      -> (tensor<3x7xf32>, tensor<7xf32>, tensor<256x256xf32>) {
    %0:3 = sdy.manual_computation(%x, %w, %d)
        in_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]
        out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>]
        manual_axes={"x", "y"} (%xs: tensor<1x5xf32>, %ws: tensor<5x7xf32>, %ds: tensor<256x256xf32>) {
      %busy = stablehlo.dot_general %ds, %ds, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %acc = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1x7xf32>
      %r:3 = stablehlo.while(%i = %zero, %v = %xs, %a = %acc) : tensor<i32>, tensor<1x5xf32>, tensor<1x7xf32>
      cond {
        %n = stablehlo.constant dense<4> : tensor<i32>
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %g = "stablehlo.all_gather"(%ws) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<5x7xf32>) -> tensor<10x7xf32>
        %gs = stablehlo.slice %g [2:7, 0:7] : (tensor<10x7xf32>) -> tensor<5x7xf32>
        %m = stablehlo.dot_general %v, %gs, contracting_dims = [1] x [0] : (tensor<1x5xf32>, tensor<5x7xf32>) -> tensor<1x7xf32>
        %b = stablehlo.add %a, %m : tensor<1x7xf32>
        %u = "stablehlo.collective_permute"(%v) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]]> : tensor<6x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
        stablehlo.return %next, %u, %b : tensor<i32>, tensor<1x5xf32>, tensor<1x7xf32>
      }
      %s = "stablehlo.all_reduce"(%r#2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<1x7xf32>) -> tensor<1x7xf32>
      %row = stablehlo.reduce(%ws init: %f) applies stablehlo.add across dimensions = [0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
      %k = "stablehlo.all_reduce"(%row) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<7xf32>) -> tensor<7xf32>
      sdy.return %s, %k, %busy : tensor<1x7xf32>, tensor<7xf32>, tensor<256x256xf32>
    } : (tensor<6x5xf32>, tensor<10x7xf32>, tensor<256x256xf32>) -> (tensor<3x7xf32>, tensor<7xf32>, tensor<256x256xf32>)
    return %0#0, %0#1, %0#2 : tensor<3x7xf32>, tensor<7xf32>, tensor<256x256xf32>
  }
}
