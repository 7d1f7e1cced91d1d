// RUN: partita-opt %s --spmd-check-signature=uneven-io=pad | FileCheck %s

// Padding is allowed when asked for; private functions and inner values always
// may be uneven.
// CHECK: func.func @main
spmd.mesh @m = <["d"=8]>
func.func @main(%arg0: tensor<10xf32> {spmd.sharding = #spmd.sharding<@m, [{"d"}]>}) -> tensor<10xf32> {
  %0 = call @f(%arg0) : (tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
func.func private @f(%arg0: tensor<10xf32> {spmd.sharding = #spmd.sharding<@m, [{"d"}]>}) -> tensor<10xf32> {
  return %arg0 : tensor<10xf32>
}
