// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of reductions, windows, sort and map.

// A body of one commutative operation on the arguments in order is named.
// CHECK-LABEL: func @reduce_short
func.func @reduce_short(%a: tensor<4x8xf32>, %c: tensor<f32>, %p: tensor<4xi1>, %f: tensor<i1>) {
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [0, 1] {note} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0, 1] {note} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  %2 = "stablehlo.reduce"(%p, %f) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<i1>, %r: tensor<i1>):
    %s = stablehlo.or %l, %r : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @reduce_long
func.func @reduce_long(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>, %c: tensor<f32>, %d: tensor<i32>) {
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>{{.*}}, %[[B:.*]]: tensor<f32>{{.*}}) (%[[I:.*]]: tensor<i32>{{.*}}, %[[J:.*]]: tensor<i32>{{.*}})  {
  // CHECK-NEXT: stablehlo.maximum %[[A]], %[[B]]
  // CHECK-NEXT: stablehlo.add %[[I]], %[[J]]
  // CHECK-NEXT: stablehlo.return
  %0:2 = stablehlo.reduce(%a init: %c), (%i init: %d) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%l: tensor<f32>, %r: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
    %1 = stablehlo.maximum %l, %r : tensor<f32>
    %2 = stablehlo.add %m, %n : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }
  // Arguments in the other order are no short form: it would swap them.
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [1]
  // CHECK-NEXT: reducer
  %3 = stablehlo.reduce(%a init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    reducer(%l: tensor<f32>, %r: tensor<f32>) {
    %1 = stablehlo.add %r, %l : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  // Nor is an operation with an attribute that the short form would drop.
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [1]
  // CHECK-NEXT: reducer
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} {note}
  %4 = stablehlo.reduce(%a init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    reducer(%l: tensor<f32>, %r: tensor<f32>) {
    %1 = stablehlo.add %l, %r {note} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return
}

// A body may fold in a wider type, and use values from outside.
// CHECK-LABEL: func @bodies
func.func @bodies(%a: tensor<4xbf16>, %c: tensor<f32>) {
  // CHECK: reducer(%{{.*}}: tensor<f32>{{.*}}, %{{.*}}: tensor<f32>{{.*}})
  %0 = stablehlo.reduce(%a init: %c) across dimensions = [0] : (tensor<4xbf16>, tensor<f32>) -> tensor<f32>
    reducer(%l: tensor<f32>, %r: tensor<f32>) {
    %1 = stablehlo.add %l, %r : tensor<f32>
    %2 = stablehlo.multiply %1, %c : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return
}

// CHECK-LABEL: func @windows
func.func @windows(%a: tensor<8x8xf32>, %s: tensor<3x8xf32>, %c: tensor<f32>) {
  // CHECK-NEXT: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{base_dilations = array<i64: 1, 1>, padding = dense<{{.*}}> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  %0 = "stablehlo.reduce_window"(%a, %c) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %1 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.select_and_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  // CHECK: }, {
  %2 = "stablehlo.select_and_scatter"(%a, %s, %c) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %3 = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %3 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<3x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func @sort
func.func @sort(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // CHECK-NEXT: %{{.*}}:2 = "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = 0 : i64, is_stable = true}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>{{.*}}, %{{.*}}: tensor<f32>{{.*}}, %{{.*}}: tensor<i32>{{.*}}, %{{.*}}: tensor<i32>{{.*}}):
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):
    %1 = stablehlo.compare LT, %l, %r, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: "stablehlo.map"(%{{.*}}) <{dimensions = array<i64: 0>}> ({
  %2 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>):
    %3 = stablehlo.multiply %x, %x : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
