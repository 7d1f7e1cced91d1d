// Loops that compute on ghost zones give what they gave: rows of zeros, edges and
// ends that go round; windows; values that only some trips or dimensions have.
// RUN: partita-run %s --partita="uneven-io=pad halo-depth=2 machine=free-network" --compare=exact --compare-each | FileCheck %s
// RUN: partita-run %s --partita="uneven-io=pad halo-depth=3 machine=free-network" --engine=jit --no-cache --compare=unsharded | FileCheck %s
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad halo-depth=2 machine=free-network" --compare=exact | FileCheck %s
// RUN: sed 's/"x"=2, "y"=3/"x"=4, "y"=2/' %s | partita-run - --partita="uneven-io=pad machine=free-network halo-depth=4" --engine=jit --no-cache --compare=unsharded | FileCheck %s
// RUN: partita-opt %s --partita="uneven-io=pad halo-depth=2 machine=free-network" --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEEP --allow-empty
// CHECK: equal
// Nothing of the three loops stays in each trip.
// DEEP-NOT: stays in each trip

spmd.mesh @mesh = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@mesh, [{"x"}, {"y"}]>

func.func @main(%a: tensor<25x31xf32> {spmd.sharding = #xy}, %p: tensor<24x24xf32> {spmd.sharding = #xy}, %f: tensor<5x25x31xf32> {spmd.sharding = #spmd.sharding<@mesh, [{}, {"x"}, {"y"}]>}, %k: tensor<1x1x3x5xf32>)
    -> (tensor<25x31xf32> {spmd.sharding = #xy}, tensor<24x24xf32> {spmd.sharding = #xy}, tensor<25x31xf32> {spmd.sharding = #xy}, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>

  // Two halos after one another in a trip, and a value of one dimension.
  %heat:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<25x31xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %up = stablehlo.pad %x, %half, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<25x31xf32>, tensor<f32>) -> tensor<25x31xf32>
    %left = spmd.shift %up dim = 1 by = 1 edge : tensor<25x31xf32>
    %sum = stablehlo.add %left, %x : tensor<25x31xf32>
    %down = spmd.shift %sum dim = 0 by = -1 edge : tensor<25x31xf32>
    %row = stablehlo.iota dim = 0 : tensor<31xf32>
    %rows = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<31xf32>) -> tensor<25x31xf32>
    %scaled = stablehlo.multiply %rows, %down : tensor<25x31xf32>
    %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<25x31xf32>
    %max = stablehlo.minimum %scaled, %halves : tensor<25x31xf32>
    %next = stablehlo.add %max, %x : tensor<25x31xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<25x31xf32>
  }

  // Round both dimensions, with positions.
  %torus:2 = stablehlo.while(%i = %zero, %x = %p) : tensor<i32>, tensor<24x24xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %up = spmd.shift %x dim = 0 by = -2 wrap : tensor<24x24xf32>
    %left = spmd.shift %up dim = 1 by = 1 wrap : tensor<24x24xf32>
    %number = stablehlo.iota dim = 1 : tensor<24x24xf32>
    %sum = stablehlo.add %left, %number : tensor<24x24xf32>
    %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %next = stablehlo.multiply %sum, %halves : tensor<24x24xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<24x24xf32>
  }

  // A convolution, driven by a field per trip; the sum of each trip is the blocks'.
  %conv:3 = stablehlo.while(%i = %zero, %x = %a, %total = %half) : tensor<i32>, tensor<25x31xf32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %image = stablehlo.reshape %x : (tensor<25x31xf32>) -> tensor<1x1x25x31xf32>
    %c = stablehlo.convolution(%image, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x25x31xf32>, tensor<1x1x3x5xf32>) -> tensor<1x1x25x31xf32>
    %plane = stablehlo.reshape %c : (tensor<1x1x25x31xf32>) -> tensor<25x31xf32>
    %slice = stablehlo.dynamic_slice %f, %i, %zero, %zero, sizes = [1, 25, 31] : (tensor<5x25x31xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x25x31xf32>
    %force = stablehlo.reshape %slice : (tensor<1x25x31xf32>) -> tensor<25x31xf32>
    %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<25x31xf32>
    %less = stablehlo.minimum %plane, %halves : tensor<25x31xf32>
    %next = stablehlo.add %less, %force : tensor<25x31xf32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %trip = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<25x31xf32>, tensor<f32>) -> tensor<f32>
    %more = stablehlo.add %trip, %total : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %more : tensor<i32>, tensor<25x31xf32>, tensor<f32>
  }
  return %heat#1, %torus#1, %conv#1, %conv#2 : tensor<25x31xf32>, tensor<24x24xf32>, tensor<25x31xf32>, tensor<f32>
}
