// psum over one axis of a 2x2 mesh, and over both: the first result stays
// sharded along "j", the second is whole on every device.
// RUN: %make_npz %t.npz i4:4x4:arange
// RUN: partita-run %s --inputs=%t.npz --outputs=%t.out.npz --print="result[0]" \
// RUN:   --compare=unsharded | FileCheck %s
// RUN: partita-run %s --inputs=%t.npz --print=result1 | FileCheck %s --check-prefix=BOTH
// RUN: %make_npz --print %t.out.npz | FileCheck %s --check-prefix=NPZ
// RUN: partita-run %s --compare=exact | FileCheck %s --check-prefix=EXACT

// CHECK:      result[0] on device 0 (i=0, j=0): tensor<2x2xi32> {{\[}}[8 10] [16 18]]
// CHECK-NEXT: result[0] on device 1 (i=0, j=1): tensor<2x2xi32> {{\[}}[12 14] [20 22]]
// CHECK-NEXT: result[0] on device 2 (i=1, j=0): tensor<2x2xi32> {{\[}}[8 10] [16 18]]
// CHECK-NEXT: result[0] on device 3 (i=1, j=1): tensor<2x2xi32> {{\[}}[12 14] [20 22]]
// CHECK:      equal
// BOTH-COUNT-4: result1 on device {{.*}}: tensor<2x2xi32> {{\[}}[20 24] [36 40]]
// NPZ:      arr_0 <i4 [2, 4] [8, 10, 12, 14, 16, 18, 20, 22]
// NPZ-NEXT: arr_1 <i4 [2, 2] [20, 24, 36, 40]
// EXACT:    equal (exact
// EXACT-NOT: vacuous

module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=2, "j"=2]> {stablehlo.mesh = {axes = [{name = "i", size = 2 : i64}, {name = "j", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {"j"}]>}) -> (tensor<2x4xi32> {jax.result_info = "result[0]"}, tensor<2x2xi32> {jax.result_info = "result[1]"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {"j"}]>] out_shardings=[<@mesh, [{}, {"j"}]>] manual_axes={"i", "j"} (%arg1: tensor<2x2xi32>) {
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = stablehlo.add %arg2, %arg3 : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
      sdy.return %2 : tensor<2x2xi32>
    } : (tensor<4x4xi32>) -> tensor<2x4xi32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {"j"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"i", "j"} (%arg1: tensor<2x2xi32>) {
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = stablehlo.add %arg2, %arg3 : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
      sdy.return %2 : tensor<2x2xi32>
    } : (tensor<4x4xi32>) -> tensor<2x2xi32>
    return %0, %1 : tensor<2x4xi32>, tensor<2x2xi32>
  }
}
