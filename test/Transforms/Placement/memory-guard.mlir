// A plan needs little more memory than the one in which propagated shardings are
// kept, where that costs few bytes: to gather all layers before the loop takes one
// launch, but 999,440 bytes of memory instead of 213,008.
// RUN: partita-run %s --compare=exact | FileCheck %s
// CHECK: equal (exact
// CHECK: 8 devices, 344064 bytes sent per device, peak {{[1-3][0-9][0-9][0-9][0-9][0-9]}} bytes
// CHECK-NEXT: {{6|12}} x all_gather: 344064 bytes
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]>
  func.func public @main(%weights: tensor<6x128x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}, {}]>},
                         %rows: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> (tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count = stablehlo.constant dense<6> : tensor<i32>
    %0:3 = stablehlo.while(%w = %weights, %i = %zero, %x = %rows) : tensor<6x128x128xf32>, tensor<i32>, tensor<256x128xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 128, 128] : (tensor<6x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x128x128xf32>) -> tensor<128x128xf32>
      %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<256x128xf32>, tensor<128x128xf32>) -> tensor<256x128xf32>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %w, %4, %3 : tensor<6x128x128xf32>, tensor<i32>, tensor<256x128xf32>
    }
    return %0#2 : tensor<256x128xf32>
  }
}
