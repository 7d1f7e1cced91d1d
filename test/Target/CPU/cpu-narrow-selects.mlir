// A select between an update and what it updates becomes one of the updated part.
// RUN: partita-opt %s --cpu-narrow-selects | FileCheck %s

#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @scalar_predicate
// CHECK-SAME:    %[[X:.*]]: tensor<16x4xf32>, %[[U:.*]]: tensor<1x4xf32>, %[[I:.*]]: index, %[[P:.*]]: tensor<i1>
// CHECK:         %[[OLD:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 4] [1, 1]
// CHECK:         %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[U]], %[[OLD]] : tensor<i1>, tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK:         %[[R:.*]] = tensor.insert_slice %[[NEW]] into %[[X]][%[[I]], 0] [1, 4] [1, 1]
// CHECK:         return %[[R]]
func.func @scalar_predicate(%x: tensor<16x4xf32>, %u: tensor<1x4xf32>, %i: index, %p: tensor<i1>) -> tensor<16x4xf32> {
  %0 = tensor.insert_slice %u into %x[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<16x4xf32>
  %1 = tensor.empty() : tensor<16x4xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%p, %0, %x : tensor<i1>, tensor<16x4xf32>, tensor<16x4xf32>) outs(%1 : tensor<16x4xf32>) {
  ^bb0(%in: i1, %a: f32, %b: f32, %out: f32):
    %3 = arith.select %in, %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// The other way round, with a predicate of its own for each element.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    %[[X:.*]]: tensor<16x4xf32>, %[[U:.*]]: tensor<2x2xf32>, %[[P:.*]]: tensor<16x4xi1>
// CHECK-DAG:     %[[Q:.*]] = tensor.extract_slice %[[P]][3, 1] [2, 2] [4, 1]
// CHECK-DAG:     %[[OLD:.*]] = tensor.extract_slice %[[X]][3, 1] [2, 2] [4, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[Q]], %[[OLD]], %[[U]] :
func.func @elements(%x: tensor<16x4xf32>, %u: tensor<2x2xf32>, %p: tensor<16x4xi1>) -> tensor<16x4xf32> {
  %0 = tensor.insert_slice %u into %x[3, 1] [2, 2] [4, 1] : tensor<2x2xf32> into tensor<16x4xf32>
  %1 = tensor.empty() : tensor<16x4xf32>
  %2 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%p, %x, %0 : tensor<16x4xi1>, tensor<16x4xf32>, tensor<16x4xf32>) outs(%1 : tensor<16x4xf32>) {
  ^bb0(%in: i1, %a: f32, %b: f32, %out: f32):
    %3 = arith.select %in, %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// The update of another value, and one that others read, stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     tensor.extract_slice
func.func @others(%x: tensor<16x4xf32>, %y: tensor<16x4xf32>, %u: tensor<1x4xf32>, %p: tensor<i1>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
  %0 = tensor.insert_slice %u into %x[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<16x4xf32>
  %5 = tensor.insert_slice %u into %x[1, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<16x4xf32>
  %1 = tensor.empty() : tensor<16x4xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%p, %0, %y : tensor<i1>, tensor<16x4xf32>, tensor<16x4xf32>) outs(%1 : tensor<16x4xf32>) {
  ^bb0(%in: i1, %a: f32, %b: f32, %out: f32):
    %3 = arith.select %in, %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%p, %5, %x : tensor<i1>, tensor<16x4xf32>, tensor<16x4xf32>) outs(%1 : tensor<16x4xf32>) {
  ^bb0(%in: i1, %a: f32, %b: f32, %out: f32):
    %3 = arith.select %in, %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  return %2, %4, %5 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}
