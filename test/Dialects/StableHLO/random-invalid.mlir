// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @rng_shape(%a: tensor<f32>) {
  %shape = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
  // expected-error@+1 {{'stablehlo.rng' op needs shape and the result of one shape, but dimension 1 has size 5 in shape and 6 in the result}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x6xf32>
  return
}

// -----

func.func @rng_normal(%a: tensor<i32>, %shape: tensor<1xi64>) {
  // expected-error@+1 {{'stablehlo.rng' op can make normally distributed floats only, not 'i32'}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

func.func @state_words(%s: tensor<3xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op THREE_FRY takes a state of 2 words, not 3}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
  return
}

// -----

func.func @state_type(%s: tensor<2xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op has an initial state of type 'tensor<2xui64>', but an output state of type 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<7xui32>)
  return
}
