// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @layouts(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op needs operand_layouts and result_layouts both, or neither}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layout_rank(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op operand_layouts has 1 dimensions for value 0 of type 'tensor<4x8xf32>'}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @config(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op of API version API_VERSION_TYPED_FFI needs a backend_config that is a dictionary}}
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = "x"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @alias(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has an alias of operand part 'tensor<4x8xf32>' and result part 'tensor<4x9xf32>', which must have one type}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x8xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @composite(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op finds no function @missing}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @missing} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @composite_name(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op needs a name such as "my_dialect.my_op", not "op"}}
  %0 = stablehlo.composite "op" %a {decomposition = @missing} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @element(%a: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op takes element 1 of a tuple of 1}}
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @barrier(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op has result 0 of size 5 in dimension 0, but its operands make size 4}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @async(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.async_start' op needs a body of one collective operation}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = stablehlo.tanh %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
