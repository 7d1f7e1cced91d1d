// The lowest integer, or all bits set, is neutral to one combiner and not to the
// other of the same op: it must enter a sum once, not on each device.
// RUN: partita-run %s --compare=exact
module attributes {mhlo.num_partitions = 9 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=3]>
  func.func public @main(%arg0: tensor<2x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<6x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<i32>, tensor<2xui32>) {
    %lowest = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0:2 = stablehlo.reduce(%arg0 init: %lowest), (%arg0 init: %lowest) across dimensions = [0, 1] : (tensor<2x6xi32>, tensor<2x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>)  {
      %2 = stablehlo.maximum %a, %c : tensor<i32>
      %3 = stablehlo.add %b, %d : tensor<i32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
    }
    %bits = stablehlo.constant dense<4294967295> : tensor<ui32>
    %1:2 = stablehlo.reduce(%arg1 init: %bits), (%arg1 init: %bits) across dimensions = [0] : (tensor<6x2xui32>, tensor<6x2xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<2xui32>, tensor<2xui32>)
     reducer(%a: tensor<ui32>, %c: tensor<ui32>) (%b: tensor<ui32>, %d: tensor<ui32>)  {
      %2 = stablehlo.and %a, %c : tensor<ui32>
      %3 = stablehlo.add %b, %d : tensor<ui32>
      stablehlo.return %2, %3 : tensor<ui32>, tensor<ui32>
    }
    return %0#1, %1#1 : tensor<i32>, tensor<2xui32>
  }
}
