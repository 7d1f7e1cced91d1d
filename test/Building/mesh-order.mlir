// RUN: partita-opt %s --partita="to=optimized uneven-io=pad" | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's|2, 5]>|2, 5, 7, 6]>|; s|"y"=3|"y"=4|' %s | partita-run - --partita=uneven-io=pad --compare=exact

// Two meshes of equal axes whose devices are in another order: a reshard on the
// first one, then each block goes to the device that has its place on the second.

sdy.mesh @a = <["x"=2, "y"=3]>
sdy.mesh @b = <["x"=2, "y"=3], device_ids=[1, 4, 3, 0, 2, 5]>

// Position 0 of @b is device 1, position 1 of @a, and so on. Both values go at once.
// CHECK: spmd.permute %{{.*}}, %{{.*}} {"x", "y"} pairs = [0, 1, 1, 4, 2, 3, 3, 0, 4, 2, 5, 5] on @a : (tensor<4x2xf32>, tensor<7x2xf32>) -> (tensor<4x2xf32>, tensor<7x2xf32>)
func.func @main(%v: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}) -> (tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {"y"}]>}, tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@b, [{}, {"y"}]>}) {
  %0 = sdy.reshard %v <@b, [{"x"}, {"y"}]> : tensor<7x5xf32>
  %1 = sdy.reshard %v <@b, [{}, {"y"}]> : tensor<7x5xf32>
  return %0, %1 : tensor<7x5xf32>, tensor<7x5xf32>
}
