// Two plans: the same program with other options, and another program.
// RUN: partita-opt --diff-plans %s %s --plan-options=results=free --plan-options=results=propagated | FileCheck %s
// RUN: partita-opt --diff-plans %s %s | FileCheck %s --check-prefix=SAME
// RUN: sed 's/{"x"}, {}/{}, {}/' %s > %t.mlir
// RUN: partita-opt --diff-plans %s %t.mlir --plan-options=objective=bytes | FileCheck %s --check-prefix=OTHER
// RUN: not partita-opt --diff-plans %s %t.none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK:      a b
// CHECK-NEXT: sent 256 bytes 512 bytes +256 bytes
// CHECK-NEXT: peak {{.*}}
// CHECK-NEXT: launches 1 1
// CHECK-NEXT: time {{.*}} us {{.*}} us
// CHECK-NEXT: result 0: [{"x"}, {}] -> [{}, {}], tensor<8x8xf32> -> tensor<16x8xf32> per device
// CHECK-NEXT: +512 bytes: 0 -> 1 x all_reduce over {"x"}, tensor<16x8xf32> -> tensor<16x8xf32>
// CHECK-NEXT:   %0 goes from [{}, {}] partial {"x"} to [{}, {}] for result 0 of @main
// CHECK-NEXT: -256 bytes: 1 -> 0 x reduce_scatter over {"x"}, tensor<16x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT:   %0 goes from [{}, {}] partial {"x"} to [{"x"}, {}] for result 0 of @main

// SAME:      sent 256 bytes 256 bytes
// SAME-NOT:  +
// SAME:      the same collectives

// OTHER:     %arg1{{.*}}: [{"x"}, {}] -> [{}, {}], tensor<32x8xf32> -> tensor<64x8xf32> per device

// NONE:      none.mlir{{.*}}error:
module @sum attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
