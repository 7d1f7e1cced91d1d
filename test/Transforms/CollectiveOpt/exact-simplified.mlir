// Every rewrite of spmd-simplify-collectives, sub-axes included, gives what it
// replaces: both programs, as manual regions, get the same inputs.
// RUN: partita-opt %s -o %t.0.mlir
// RUN: partita-translate --spmd-to-manual %t.0.mlir -o %t.before.mlir
// RUN: partita-opt %s --spmd-simplify-collectives --spmd-sink-readers --spmd-combine-collectives -o %t.1.mlir
// RUN: partita-translate --spmd-to-manual %t.1.mlir -o %t.after.mlir
// RUN: partita-run %t.before.mlir --engine=eval --compare=%t.after.mlir | FileCheck %s
// RUN: partita-run %t.after.mlir --compare=exact | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.1.mlir
// CHECK: {{^}}equal
// IR-COUNT-9: on @n :
// IR-NOT: on @n :
module @s attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
spmd.mesh @n = <["x"=2, "y"=4]>
func.func public @main(
    %a: tensor<8xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
    %r: tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@n, [{}]>})
    -> (tensor<1xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<4xf32> {spmd.global_type = tensor<32xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<64xf32> {spmd.global_type = tensor<512xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<16xf32> {spmd.global_type = tensor<128xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<2xf32> {spmd.global_type = tensor<16xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<8xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<8xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<2xf32> {spmd.global_type = tensor<16xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>},
        tensor<2xf32> {spmd.global_type = tensor<16xf32>, spmd.sharding = #spmd.sharding<@n, [{"x", "y"}]>}) {
  %0 = spmd.all_reduce add %a {"x", "y"} on @n : (tensor<8xf32>) -> tensor<8xf32>
  %1 = spmd.all_slice %0 [{"y", "x"}] on @n : (tensor<8xf32>) -> tensor<1xf32>
  %2 = spmd.all_reduce add %a {"y"} on @n : (tensor<8xf32>) -> tensor<8xf32>
  %3 = spmd.all_slice %2 [{"y":(2)2}] on @n : (tensor<8xf32>) -> tensor<4xf32>
  %4 = spmd.all_gather %a [{"y":(2)2}] on @n : (tensor<8xf32>) -> tensor<16xf32>
  %5 = spmd.all_gather %4 [{"x", "y":(1)2}] on @n : (tensor<16xf32>) -> tensor<64xf32>
  %6 = spmd.all_gather %a [{"y", "x"}] on @n : (tensor<8xf32>) -> tensor<64xf32>
  %7 = spmd.all_slice %6 [{"y"}] on @n : (tensor<64xf32>) -> tensor<16xf32>
  %8 = spmd.all_slice %r [{"x", "y"}] on @n : (tensor<8xf32>) -> tensor<1xf32>
  %9 = spmd.all_gather %8 [{"y":(2)2}] on @n : (tensor<1xf32>) -> tensor<2xf32>
  %10 = spmd.permute %a {"y", "x"} to {"x", "y"} on @n : (tensor<8xf32>) -> tensor<8xf32>
  %11 = spmd.permute %10 {"x", "y"} to {"y", "x"} on @n : (tensor<8xf32>) -> tensor<8xf32>
  %12 = spmd.permute %a {"x", "y"} shift = [1, -1] wrap on @n : (tensor<8xf32>) -> tensor<8xf32>
  %13 = spmd.permute %12 {"x", "y"} shift = [0, 3] on @n : (tensor<8xf32>) -> tensor<8xf32>
  %14 = spmd.reduce_scatter add %a [{"x"}] on @n : (tensor<8xf32>) -> tensor<4xf32>
  %15 = spmd.reduce_scatter add %14 [{"y":(1)2}] on @n : (tensor<4xf32>) -> tensor<2xf32>
  %16 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<8xf32>
  %17 = spmd.reduce_scatter add %16 [{"y"}] on @n : (tensor<8xf32>) -> tensor<2xf32>
  %18 = spmd.reduce_scatter add %r [{"y"}] on @n : (tensor<8xf32>) -> tensor<2xf32>
  %19 = stablehlo.subtract %17, %18 : tensor<2xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %19 : tensor<1xf32>, tensor<4xf32>, tensor<64xf32>, tensor<16xf32>, tensor<2xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
}
}
