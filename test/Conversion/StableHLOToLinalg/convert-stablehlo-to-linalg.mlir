// RUN: partita-opt --convert-stablehlo-to-linalg %s | FileCheck %s

// Elementwise ops are generics on signless types; signedness is in the ops.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: tensor<4xi32>
// CHECK: linalg.generic
// CHECK: arith.maxui
// CHECK: linalg.generic
// CHECK: arith.maxsi
func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xi32>) -> (tensor<4xui32>, tensor<4xi32>) {
  %0 = stablehlo.maximum %a, %a : tensor<4xui32>
  %1 = stablehlo.maximum %b, %b : tensor<4xi32>
  return %0, %1 : tensor<4xui32>, tensor<4xi32>
}

// Integer division never traps: by zero it gives all ones.
// CHECK-LABEL: func.func @divide
// CHECK: arith.select
// CHECK: arith.divsi
func.func @divide(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.divide %a, %b : tensor<i32>
  return %0 : tensor<i32>
}

// A pad of any sign and interior inserts the kept part into the padding value.
// CHECK-LABEL: func.func @pad
// CHECK: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[1] [3] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [3] [2]
func.func @pad(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<7xf32> {
  %0 = stablehlo.pad %a, %z, low = [-1], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// A reduction with any body of scalars is one generic; argmax pairs too.
// CHECK-LABEL: func.func @argmax
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, i32
func.func @argmax(%a: tensor<2x3xf32>, %i: tensor<2x3xi32>, %la: tensor<f32>, %li: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.reduce(%a init: %la), (%i init: %li) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %c = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
    %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}

// What has no linalg form calls the runtime; a comparator is a function on scalars.
// CHECK-LABEL: func.func @sort
// CHECK: spmd.runtime_call "partita_sort" ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) descriptor = [1, 12, 1, 1, 1, 1, 8, 1, 1, 8, 0, 1] body = @[[BODY:.*]] ->
// CHECK: func.func private @[[BODY]](%{{.*}}: f32, %{{.*}}: f32) -> i1
func.func @sort(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
