// Sharding rules that do not fit their op.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op 'sdy.sharding_rule' must be #sdy.op_sharding_rule, got 1 : i64}}
  // expected-note @+1 {{fix: write #sdy.op_sharding_rule<([i])->([i]) {i=8}>}}
  %0 = call @g(%arg0) {sdy.sharding_rule = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x?xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x?xf32>) {
  // expected-error @+2 {{'func.call' op operand 0: a sharding rule needs a static shape, got 'tensor<8x?xf32>'}}
  // expected-note @+1 {{fix: remove the rule}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : (tensor<8x?xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op result 0: the rule maps 1 dimensions, but the type 'tensor<8x4xf32>' has 2}}
  // expected-note @+1 {{fix: map each dimension to its factors}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op result 0: factor k of dimension 1 has no size}}
  // expected-note @+1 {{fix: list its size in the rule's {...}}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op result 0: factor i is used twice}}
  // expected-note @+1 {{fix: use a factor for one dimension of a value}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, i]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op operand 0: factor k of dimension 1 has size 1 beside other factors}}
  // expected-note @+1 {{fix: drop the factor from the dimension}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, j]) {i=8, j=4, k=1}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op its sharding rule maps 2 operands; the op has 1}}
  // expected-note @+1 {{fix: map every operand and result; a rule needs at least one of each}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>)
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op its sharding rule maps 0 results; the op has 0}}
  // expected-note @+1 {{fix: map every operand and result; a rule needs at least one of each}}
  call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->() {i=8, j=4}>} : (tensor<8x4xf32>) -> ()
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op factor j of the sharding rule has size -4}}
  // expected-note @+1 {{fix: a factor has the size of its part of a dimension}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=-4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op factor k=2 of the sharding rule is used by no operand or result}}
  // expected-note @+1 {{fix: drop the factor}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4, k=2}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op permutation factor k is not a factor of the rule}}
  // expected-note @+1 {{fix: name factors whose sizes the rule lists}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={k}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op blocked_propagation factor i is out of order or repeated}}
  // expected-note @+1 {{fix: list the factors in order, each once}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} blocked_propagation={j, i}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op factor i has two kinds; one is permutation}}
  // expected-note @+1 {{fix: make it one of reduction, need_replication or permutation}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={i} permutation={i}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @g(tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error @+2 {{'func.call' op reduction factor j is in a result}}
  // expected-note @+1 {{fix: a reduced factor may be in operands only}}
  %0 = call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} reduction={j}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
