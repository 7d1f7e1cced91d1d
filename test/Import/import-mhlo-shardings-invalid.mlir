// RUN: partita-opt %s --spmd-import-mhlo-shardings --split-input-file --verify-diagnostics

// expected-error @+2 {{'mhlo.sharding': expected ',' or ']' at character 12 of}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4<=[4]}"}) { return }

// -----

// expected-error @+2 {{expected an iota of 4 devices at}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[8]}"}) { return }

// -----

// expected-error @+2 {{expected each device from 0 to 3 once at}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,1,1,2}"}) { return }

// -----

// expected-error @+2 {{expected 4 devices instead of 3 at}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,1,2}"}) { return }

// -----

// expected-error @+2 {{expected devices=, replicated, manual, maximal or unknown at character 2 of "{sharded}"}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{sharded}"}) { return }

// -----

// expected-error @+2 {{expected the end at}}
// expected-note @+1 {{fix: write it as}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated} x"}) { return }

// -----

// expected-error @+2 {{'mhlo.sharding' must be a string, got 3}}
// expected-note @+1 {{fix: write}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = 3 : i32}) { return }

// -----

// A sharding longer than the rank.
// expected-error @+2 {{'mhlo.sharding' has 2 tile dimensions, but 'tensor<8xf32>' has 1}}
// expected-note @+1 {{fix: give one tile count per dimension}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) { return }

// -----

func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+2 {{'mhlo.sharding' has 3 elements for 2 results}}
  // expected-note @+1 {{fix: write one sharding per result}}
  %0:2 = stablehlo.custom_call @two(%arg0) {mhlo.sharding = "{{replicated}, {replicated}, {replicated}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{@Sharding has no 'mhlo.sharding'}}
  // expected-note @+1 {{fix: add it, or remove the call}}
  %0 = stablehlo.custom_call @Sharding(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+2 {{enters a manual region that nothing leaves}}
    // expected-note @+1 {{fix: end the region with @SPMDShardToFullShape}}
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+2 {{its operand is not the result of @Sharding}}
    // expected-note @+1 {{fix: state the layout of the value by a @Sharding call before it}}
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
