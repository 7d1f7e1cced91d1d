// The text of one program is as long for 65,536 devices as for 8.
// RUN: sed -e 's/NX/4/g; s/NY/2/g; s/ROWS/32/g' %s > %t.small.mlir
// RUN: sed -e 's/NX/256/g; s/NY/256/g; s/ROWS/2048/g' %s > %t.large.mlir
// RUN: partita-translate --spmd-to-hlo %t.small.mlir -o %t.small.hlo
// RUN: partita-translate --spmd-to-hlo %t.large.mlir -o %t.large.hlo
// RUN: %python -c "import sys; a, b = [len(open(f).read()) for f in sys.argv[1:]]; print('lengths', a, b); sys.exit(b > 1.1 * a)" %t.small.hlo %t.large.hlo
// RUN: FileCheck %s < %t.large.hlo
// CHECK: num_partitions=65536
// CHECK: all-reduce({{.*}}), channel_id=1, replica_groups=[256,256]<=[65536]

module {
  sdy.mesh @mesh = <["x"=NX, "y"=NY]>
  func.func public @main(%x: tensor<ROWSx65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<65536x65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<ROWSx65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<ROWSx65536xf32>, tensor<65536x65536xf32>) -> tensor<ROWSx65536xf32>
    %1 = stablehlo.tanh %0 : tensor<ROWSx65536xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<ROWSx65536xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<ROWSx65536xf32>, tensor<f32>
  }
}
