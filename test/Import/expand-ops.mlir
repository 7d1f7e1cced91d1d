// RUN: partita-opt %s --spmd-expand-ops | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita=uneven-io=pad --compare=exact

// Ops that are defined by others are written as those; a result's sharding stays
// with it.

spmd.mesh @m = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@m, [{"x"}, {"y"}]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<5x7xf32> {spmd.sharding = #xy}, %b: tensor<7x4xf32> {spmd.sharding = #xy}, %v: tensor<7xf32>, %i: tensor<2x3xi32>, %k: tensor<9xf32> {spmd.sharding = #spmd.sharding<@m, [{"y", "x"}]>}) -> (tensor<4x5xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<5x7xi1>, tensor<5x2x3xf32>, tensor<8x7xf32>, tensor<2x7xf32>, tensor<5x7xf32>, tensor<4xf32>, tensor<4xi32>, tensor<5x7xf32>, tensor<i32>, tensor<7x5xf32>) {
  // CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
  // CHECK: stablehlo.transpose %[[DOT]], dims = [1, 0] {spmd.shardings = [#spmd.sharding<@m, [{"y"}, {"x"}]>]}
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ki" {spmd.shardings = [#spmd.sharding<@m, [{"y"}, {"x"}]>]} : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<4x5xf32>
  // CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [0]
  %1 = stablehlo.unary_einsum %a, config = "ij->j" : (tensor<5x7xf32>) -> tensor<7xf32>
  // CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [1]
  // CHECK: stablehlo.add %arg0, %[[SPREAD]]
  %2 = chlo.broadcast_add %a, %v : (tensor<5x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  // CHECK: stablehlo.compare LT
  %3 = "chlo.broadcast_compare"(%v, %a) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
  // CHECK: "stablehlo.gather"(%arg0, %arg3)
  %4 = "stablehlo.torch_index_select"(%a, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<5x7xf32>, tensor<2x3xi32>) -> tensor<5x2x3xf32>
  %one = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %two = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %none = stablehlo.constant dense<0> : tensor<2xi64>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [1, 0], high = [2, 0], interior = [0, 0]
  %5 = stablehlo.dynamic_pad %a, %z, %one, %two, %none : (tensor<5x7xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<8x7xf32>
  %limit = stablehlo.constant dense<[5, 7]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  // CHECK: stablehlo.slice %arg0 [1:5:2, 0:7]
  %6 = stablehlo.real_dynamic_slice %a, %one, %limit, %strides : (tensor<5x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x7xf32>
  // CHECK: call @square(%arg0)
  %7 = stablehlo.composite "my.square" %a {decomposition = @square} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %iota = stablehlo.iota dim = 0 : tensor<9xi32>
  %m1 = stablehlo.constant dense<-1> : tensor<i32>
  // CHECK: "stablehlo.sort"(%arg4, %{{.*}}) <{dimension = 0 : i64, is_stable = true}>
  // CHECK: stablehlo.slice %{{.*}} [0:4]
  %8:2 = stablehlo.custom_call @ApproxTopK(%k, %iota, %z, %m1) {called_computations = [@larger], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 4 : i64}} : (tensor<9xf32>, tensor<9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK-NOT: tuple
  %9 = stablehlo.tuple %a, %v : tuple<tensor<5x7xf32>, tensor<7xf32>>
  %10 = stablehlo.get_tuple_element %9[0] : (tuple<tensor<5x7xf32>, tensor<7xf32>>) -> tensor<5x7xf32>
  %11 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<5x7xf32>) -> tensor<i32>
  %shape = stablehlo.constant dense<[7, 5]> : tensor<2xi64>
  // CHECK: stablehlo.reshape %arg0
  %12 = stablehlo.dynamic_reshape %a, %shape : (tensor<5x7xf32>, tensor<2xi64>) -> tensor<7x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8#0, %8#1, %10, %11, %12 : tensor<4x5xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<5x7xi1>, tensor<5x2x3xf32>, tensor<8x7xf32>, tensor<2x7xf32>, tensor<5x7xf32>, tensor<4xf32>, tensor<4xi32>, tensor<5x7xf32>, tensor<i32>, tensor<7x5xf32>
}

func.func private @square(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-NOT: @larger
func.func private @larger(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<i32>, %t: tensor<i32>) -> tensor<i1> {
  %u = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %u : tensor<i1>
}
