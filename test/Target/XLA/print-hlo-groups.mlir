// Groups along mesh axes are iotas: the text does not grow with the mesh.
// RUN: partita-translate --spmd-to-hlo %s | FileCheck %s

module {
  spmd.mesh @large = <["x"=64, "y"=32, "z"=32]>
  // Device (i % 2) * 4 + i / 2 at position i.
  spmd.mesh @swapped = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>
  spmd.mesh @listed = <["x"=2, "y"=2], device_ids=[2, 0, 1, 3]>
  spmd.mesh @six = <["x"=6]>
  // CHECK: num_partitions=65536
  func.func @main(%arg0: tensor<4xf32> {spmd.global_type = tensor<4xf32>}) -> (tensor<256xf32>, tensor<128xf32>, tensor<8192xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<8xf32>) {
    // CHECK: all-gather(arg.0), channel_id={{[0-9]+}}, replica_groups=[1024,64]<=[64,1024]T(1,0), use_global_device_ids=true, dimensions={0}
    %0 = spmd.all_gather %arg0 [{"x"}] on @large : (tensor<4xf32>) -> tensor<256xf32>
    // CHECK: all-gather(arg.0), {{.*}} replica_groups=[2048,32]<=[64,32,32]T(0,2,1)
    %1 = spmd.all_gather %arg0 [{"y"}] on @large : (tensor<4xf32>) -> tensor<128xf32>
    // Members in the order of the axes as written.
    // CHECK: all-gather(arg.0), {{.*}} replica_groups=[32,2048]<=[64,1024]T(1,0)
    %2 = spmd.all_gather %arg0 [{"z", "x"}] on @large : (tensor<4xf32>) -> tensor<8192xf32>
    // CHECK: all-reduce(arg.0), {{.*}} replica_groups=[1,65536]<=[65536]
    %3 = spmd.all_reduce add %arg0 {"x", "y", "z"} on @large : (tensor<4xf32>) -> tensor<4xf32>
    // A part of an axis.
    // CHECK: all-reduce(arg.0), {{.*}} replica_groups=[8192,8]<=[4,8,2048]T(0,2,1)
    %4 = spmd.all_reduce add %arg0 {"x":(4)8} on @large : (tensor<4xf32>) -> tensor<4xf32>
    // A mesh that is an iota itself: x is the minor part of the device id.
    // CHECK: all-reduce(arg.0), {{.*}} replica_groups=[2,4]<=[8]
    %5 = spmd.all_reduce add %arg0 {"x"} on @swapped : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: all-gather(arg.0), {{.*}} replica_groups=[4,2]<=[2,4]T(1,0)
    %6 = spmd.all_gather %arg0 [{"y"}] on @swapped : (tensor<4xf32>) -> tensor<8xf32>
    // CHECK: all-gather(arg.0), {{.*}} replica_groups={{[{][{]}}2,1},{0,3}}
    %7 = spmd.all_gather %arg0 [{"x"}] on @listed : (tensor<4xf32>) -> tensor<8xf32>
    // CHECK: all-gather(arg.0), {{.*}} replica_groups=[2,3]<=[3,2]T(1,0)
    %8 = spmd.all_gather %arg0 [{"x":(1)3}] on @six : (tensor<4xf32>) -> tensor<12xf32>
    // CHECK: all-gather(arg.0), {{.*}} replica_groups=[3,2]<=[6]
    %9 = spmd.all_gather %arg0 [{"x":(3)2}] on @six : (tensor<4xf32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<256xf32>, tensor<128xf32>, tensor<8192xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<8xf32>
  }
}
