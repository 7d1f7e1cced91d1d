// RUN: partita-opt %s --spmd-free-loops | FileCheck %s

spmd.mesh @m = <["d"=4, "e"=2]>

// A device that has no row left changes nothing: it need not ask the others.
// CHECK-LABEL: func.func @free
// CHECK: cond {
// CHECK-NOT: all_gather
// CHECK: %[[GOES:.*]] = stablehlo.compare LT
// CHECK: stablehlo.reduce(%[[GOES]]
// CHECK: } do {
func.func @free(%n: tensor<2xi32>, %x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %r:3 = stablehlo.while(%len = %n, %i = %zero, %v = %x) : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  cond {
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %all = spmd.all_gather %goes [{"d"}] on @m : (tensor<2xi1>) -> tensor<8xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%all init: %false) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %any : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %next = stablehlo.add %i, %one : tensor<2xi32>
    %cos = stablehlo.cosine %v : tensor<2x8xf32>
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %k = stablehlo.select %goes, %next, %i : tensor<2xi1>, tensor<2xi32>
    %mask = stablehlo.broadcast_in_dim %goes, dims = [0] : (tensor<2xi1>) -> tensor<2x8xi1>
    %w = stablehlo.select %mask, %cos, %v : tensor<2x8xi1>, tensor<2x8xf32>
    stablehlo.return %len, %k, %w : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  }
  return %r#2 : tensor<2x8xf32>
}

// The same with the partial answers reduced; the body may communicate along
// other axes.
// CHECK-LABEL: func.func @other_axis
// CHECK: cond {
// CHECK-NOT: all_reduce
// CHECK: %[[ANY:.*]] = stablehlo.reduce
// CHECK-NEXT: stablehlo.return %[[ANY]]
func.func @other_axis(%n: tensor<2xi32>, %x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %r:3 = stablehlo.while(%len = %n, %i = %zero, %v = %x) : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  cond {
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%goes init: %false) applies stablehlo.or across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
    %all = spmd.all_reduce or %any {"d"} on @m : (tensor<i1>) -> tensor<i1>
    stablehlo.return %all : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %next = stablehlo.add %i, %one : tensor<2xi32>
    %sum = spmd.all_reduce add %v {"e"} on @m : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %k = stablehlo.select %goes, %next, %i : tensor<2xi1>, tensor<2xi32>
    %mask = stablehlo.broadcast_in_dim %goes, dims = [0] : (tensor<2xi1>) -> tensor<2x8xi1>
    %w = stablehlo.select %mask, %sum, %v : tensor<2x8xi1>, tensor<2x8xf32>
    stablehlo.return %len, %k, %w : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  }
  return %r#2 : tensor<2x8xf32>
}

// A body that communicates along the rows needs all devices in each trip, and so
// does one that changes a value of a row that is done.
// CHECK-LABEL: func.func @same_axis
// CHECK: all_gather
// CHECK-LABEL: func.func @counts_on
// CHECK: all_gather
func.func @same_axis(%n: tensor<2xi32>, %x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %r:3 = stablehlo.while(%len = %n, %i = %zero, %v = %x) : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  cond {
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %all = spmd.all_gather %goes [{"d"}] on @m : (tensor<2xi1>) -> tensor<8xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%all init: %false) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %any : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %next = stablehlo.add %i, %one : tensor<2xi32>
    %sum = spmd.all_reduce add %v {"d"} on @m : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %k = stablehlo.select %goes, %next, %i : tensor<2xi1>, tensor<2xi32>
    %mask = stablehlo.broadcast_in_dim %goes, dims = [0] : (tensor<2xi1>) -> tensor<2x8xi1>
    %w = stablehlo.select %mask, %sum, %v : tensor<2x8xi1>, tensor<2x8xf32>
    stablehlo.return %len, %k, %w : tensor<2xi32>, tensor<2xi32>, tensor<2x8xf32>
  }
  return %r#2 : tensor<2x8xf32>
}
func.func @counts_on(%n: tensor<2xi32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %r:2 = stablehlo.while(%len = %n, %i = %zero) : tensor<2xi32>, tensor<2xi32>
  cond {
    %goes = stablehlo.compare LT, %i, %len, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %all = spmd.all_gather %goes [{"d"}] on @m : (tensor<2xi1>) -> tensor<8xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%all init: %false) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %any : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %next = stablehlo.add %i, %one : tensor<2xi32>
    stablehlo.return %len, %next : tensor<2xi32>, tensor<2xi32>
  }
  return %r#1 : tensor<2xi32>
}
