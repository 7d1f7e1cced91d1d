// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s -mlir-print-debuginfo | partita-opt | FileCheck %s

// Text of calls, tuples, tokens and barriers.

// CHECK-LABEL: func @custom_calls
func.func @custom_calls(%a: tensor<4x8xf32>, %t: !stablehlo.token) {
  // CHECK-NEXT: stablehlo.custom_call @Sharding(%{{.*}}) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: stablehlo.custom_call @"not an identifier"() {has_side_effect = true} : () -> ()
  stablehlo.custom_call @"not an identifier"() {has_side_effect = true} : () -> ()
  // CHECK-NEXT: stablehlo.custom_call @lapack(%{{.*}}) {api_version = 4 : i32, backend_config = {mode = 65 : ui8}, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<i32>)
  %1:2 = stablehlo.custom_call @lapack(%a) {api_version = 4 : i32, backend_config = {mode = 65 : ui8}, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<i32>)
  // CHECK-NEXT: stablehlo.custom_call @callback(%{{.*}}, %{{.*}}) {api_version = 2 : i32, called_computations = [@body], has_side_effect = true} : (!stablehlo.token, tensor<4x8xf32>) -> (!stablehlo.token, tuple<tensor<*xf32>>)
  %2:2 = stablehlo.custom_call @callback(%t, %a) {api_version = 2 : i32, called_computations = [@body], has_side_effect = true} : (!stablehlo.token, tensor<4x8xf32>) -> (!stablehlo.token, tuple<tensor<*xf32>>)
  return
}

func.func private @body(%a: tensor<4x8xf32>) -> tensor<4x8xf32>

// CHECK-LABEL: func @composites
func.func @composites(%a: tensor<4x8xf32>) {
  // CHECK-NEXT: stablehlo.composite "my.op" %{{.*}} {composite_attributes = {k = 3 : i64}, decomposition = @body, version = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.composite "my.op" %a {composite_attributes = {k = 3 : i64}, decomposition = @body, version = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func @tuples
func.func @tuples(%a: tensor<4xf32>, %i: tensor<i32>) {
  // CHECK-NEXT: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4xf32>, tensor<i32>>
  %0 = stablehlo.tuple %a, %i : tuple<tensor<4xf32>, tensor<i32>>
  // CHECK-NEXT: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  // CHECK-NEXT: stablehlo.tuple : tuple<>
  %2 = stablehlo.tuple : tuple<>
  return
}

// CHECK-LABEL: func @order
func.func @order(%a: tensor<4xf32>) {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.create_token : !stablehlo.token
  // CHECK-NEXT: stablehlo.after_all %[[T]], %[[T]] : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  // CHECK-NEXT: stablehlo.after_all : !stablehlo.token
  %2 = stablehlo.after_all : !stablehlo.token
  // CHECK-NEXT: stablehlo.optimization_barrier %{{.*}}, %[[T]] : tensor<4xf32>, !stablehlo.token
  %3:2 = stablehlo.optimization_barrier %a, %0 : tensor<4xf32>, !stablehlo.token
  // CHECK-NEXT: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  return
}

// CHECK-LABEL: func @async
func.func @async(%a: tensor<4xf32>) {
  // CHECK-NEXT: "stablehlo.async_start"(%{{.*}}) ({
  // CHECK: }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  // CHECK-NEXT: "stablehlo.async_done"(%{{.*}}) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  return
}
