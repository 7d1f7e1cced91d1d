// RUN: partita-opt %s --spmd-print-sharding-rules --split-input-file --verify-diagnostics -o /dev/null

// What no rule can be given for is refused at the op, with a fix.

func.func @unknown_target(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{@mystery is not known and has side effects, which each device would have}}
  // expected-note @below {{fix: name the one device that runs it by a maximal sharding, give the call an `sdy.sharding_rule`, or replace it by ops}}
  %0 = stablehlo.custom_call @mystery(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_size(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{operand #0 of type 'tensor<?x4xf32>' has a dimension of unknown size, so it can't be sharded}}
  // expected-note @below {{fix: lower the program for fixed shapes}}
  %0 = stablehlo.tanh %a : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// A user's rule must map every dimension.
func.func @short_rule(%a: tensor<4x6xf32>) -> tensor<4xf32> {
  // expected-error @below {{@mine has a sharding rule that does not fit: operand #0 has rank 2, the rule's mapping has 1 dimensions}}
  // expected-note @below {{fix: give one list of factors per dimension of each operand and result}}
  %0 = stablehlo.custom_call @mine(%a) {spmd.sharding_rule = {factor_sizes = array<i64: 4>, operands = [[array<i64: 0>]], results = [[array<i64: 0>]]}} : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @few_operands(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{@mine has a sharding rule that does not fit: it maps 1 operands, the call has 2}}
  // expected-note @below {{fix: give one list of factors per dimension of each operand and result}}
  %0 = stablehlo.custom_call @mine(%a, %b) {spmd.sharding_rule = {factor_sizes = array<i64: 4>, operands = [[array<i64: 0>]], results = [[array<i64: 0>]]}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @undeclared_factor(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{@mine has a sharding rule that does not fit: factor #7 is not declared}}
  // expected-note @below {{fix: give one list of factors per dimension of each operand and result}}
  %0 = stablehlo.custom_call @mine(%a) {spmd.sharding_rule = {factor_sizes = array<i64: 4>, operands = [[array<i64: 7>]], results = [[array<i64: 0>]]}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The host is one; devices are many.
func.func @to_host(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  // expected-error @below {{moves data between the host and the one device of the whole program; each of the devices would do it}}
  // expected-note @below {{fix: pass the data as arguments and results, or use a callback}}
  %s = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %a : tensor<4xf32>
}

// -----

func.func @unknown_padding(%a: tensor<4xf32>, %p: tensor<f32>, %low: tensor<1xi64>) -> tensor<6xf32> {
  // expected-error @below {{has sizes that no constant or type says, so it can't be sharded}}
  // expected-note @below {{fix: lower the program for fixed shapes}}
  %0 = stablehlo.dynamic_pad %a, %p, %low, %low, %low : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.custom_call' op @CustomSPMDPartitioning is partitioned by a Python function, which only XLA's partitioner calls}}
  // expected-note @below {{fix: write what each device does with jax.shard_map, or let the function without jax.custom_partitioning be partitioned}}
  %0 = stablehlo.custom_call @CustomSPMDPartitioning(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
