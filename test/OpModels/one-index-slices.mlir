// One row of a matrix that is split by rows: the device that has it gives it to all. Devices whose block of the row is
// padding fetch nothing.
// RUN: partita-opt %s --partita | FileCheck %s
// RUN: partita-run %s --compare=exact --compare-each
// RUN: partita-run %s --engine=jit --no-cache --compare=unsharded
// RUN: partita-run %s --engine=gpu-emulate --compare=unsharded
// RUN: sed 's/"x"=2, "y"=4/"x"=2, "y"=3/' %s | partita-run - --partita=uneven-io=pad --compare=exact
// RUN: partita-translate --spmd-to-manual %s | FileCheck %s --check-prefix=XLA

spmd.mesh @m = <["x"=2, "y"=4]>
#rows = #spmd.sharding<@m, [{"x", "y"}, {}]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<40x24xf32> {spmd.sharding = #rows}) -> (tensor<40x24xf32> {spmd.sharding = #rows}) {
  // CHECK: %[[ROW:.*]] = spmd.exchange %arg0 [40, 24] {{.*}} [7 + i*33 : 1, 0 + i*24 : 24] : (tensor<5x24xf32>) -> tensor<1x24xf32>
  %0 = stablehlo.slice %a [7:8, 0:24] : (tensor<40x24xf32>) -> tensor<1x24xf32>
  // CHECK: spmd.broadcast %{{.*}} {"x", "y"} root = 0 on @m : tensor<1x24xf32>
  // CHECK-NOT: all_gather
  // XLA: "stablehlo.collective_permute"
  // XLA: "stablehlo.{{collective_broadcast|all_reduce}}"
  %1 = stablehlo.reshape %0 : (tensor<1x24xf32>) -> tensor<24xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<24xf32>) -> tensor<40x24xf32>
  %3 = stablehlo.multiply %a, %2 : tensor<40x24xf32>
  return %3 : tensor<40x24xf32>
}
