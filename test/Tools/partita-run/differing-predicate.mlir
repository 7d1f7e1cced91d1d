// Devices leave a loop at different times while others wait in its collective:
// an error at the collective, naming who arrives, not a deadlock.
// RUN: rm -f %t.npz
// RUN: not partita-run %s --engine=eval --outputs=%t.npz 2>&1 | FileCheck %s
// RUN: not partita-run %s --outputs=%t.npz 2>&1 | FileCheck %s --check-prefix=JIT
// RUN: not ls %t.npz
// CHECK: differing-predicate.mlir:[[#]]:{{[0-9]+}}: error: a predicate that differs between devices: of one group of 'spmd.all_reduce', device
// CHECK-SAME: arrive
// JIT: error: {{.*}}all_reduce{{.*}}device {{[0-3]}} has ended
// CHECK: note: fix: make the predicate the same on all devices of the group, or move the collective out of the branch or loop

// Without a collective in the loop each device may go its own way.
// RUN: sed -e 's/ "stablehlo.all_reduce".*$/ stablehlo.add %%x, %%x : tensor<1xi32>/' -e '/bb0/,/}) :/d' %s > %t.free.mlir
// RUN: partita-run %t.free.mlir --compare=exact | FileCheck %s --check-prefix=FREE
// FREE: equal (exact

module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<1xi32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %i = stablehlo.reshape %arg1 : (tensor<1xi32>) -> tensor<i32>
      %r:2 = stablehlo.while(%n = %i, %x = %arg1) : tensor<i32>, tensor<1xi32>
      cond {
        %c = stablehlo.compare GT, %n, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %m = stablehlo.subtract %n, %one : tensor<i32>
        %y = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %s = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %s : tensor<i32>
        }) : (tensor<1xi32>) -> tensor<1xi32>
        stablehlo.return %m, %y : tensor<i32>, tensor<1xi32>
      }
      sdy.return %r#1 : tensor<1xi32>
    } : (tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
