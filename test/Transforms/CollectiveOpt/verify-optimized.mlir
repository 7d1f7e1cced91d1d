// RUN: partita-opt %s --spmd-verify-optimized --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s

spmd.mesh @m = <["x"=2, "y"=3]>

// The predicate is a shard of a vector split over "x": the sum over "x" may wait
// for ever, the one over "y" does not.
// CHECK: verify-optimized.mlir:[[#@LINE+5]]:10: remark: [Missed] MayDiverge | Category:collectives | Reason="spmd.all_reduce communicates over {{.*}}x{{.*}} under stablehlo.if, which depends on the device's place on that axis: all devices must come to the same"
// CHECK-NOT: remark
func.func @main(%p: tensor<1xi1> {spmd.global_type = tensor<2xi1>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}, %a: tensor<4xf32>) -> tensor<4xf32> {
  %q = stablehlo.reshape %p : (tensor<1xi1>) -> tensor<i1>
  %r = "stablehlo.if"(%q) ({
    %s = spmd.all_reduce add %a {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    %s = spmd.all_reduce add %a {"y"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
