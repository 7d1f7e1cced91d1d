// Why is a value sharded so: the chain of steps back to an annotation.
// RUN: partita-opt --spmd-propagate-shardings=explain=%1 --verify-diagnostics %s
// RUN: partita-opt --spmd-propagate-shardings=explain=all %s 2>&1 | FileCheck %s

spmd.mesh @mesh = <["x"=2, "y"=3]>

// CHECK: %arg0 is sharded [{"x"}, {}]
// CHECK: dimension 0 of %arg0 was annotated
func.func @main(%arg0: tensor<8x6xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>},
                %arg1: tensor<6x12xf32>) -> tensor<8x12xf32> {
  // expected-note @below {{dimension 0 of %0 got {"x"} from %arg0 through 'stablehlo.tanh' along factor 0, stage 1}}
  %0 = stablehlo.tanh %arg0 : tensor<8x6xf32>
  // expected-remark @below {{%1 is sharded [{"x"}, {}]}}
  // expected-note @below {{dimension 0 of %1 got {"x"} from %0 through 'stablehlo.dot' along factor 0, stage 3}}
  %1 = stablehlo.dot %0, %arg1 : (tensor<8x6xf32>, tensor<6x12xf32>) -> tensor<8x12xf32>
  return %1 : tensor<8x12xf32>
}
