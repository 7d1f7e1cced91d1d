// What the verifiers of the collectives refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.collective_permute' op the sharding has 1 dimensions, but the type 'tensor<8x8xf32>' has 2}}
  // expected-note @+1 {{fix: write one {...} per dimension of the type}}
  %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"a"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_gather' op unknown axis "c"}}
  // expected-note @+1 {{fix: name one of the mesh's axes: "a", "b"}}
  %0 = sdy.all_gather [{"c"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_slice' op axis "a" is used twice}}
  // expected-note @+1 {{fix: use each axis for one dimension, or as replicated or unreduced, once}}
  %0 = sdy.all_slice [{"a"}, {"a"}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.reduce_scatter' op has axes for 1 dimensions, but its result has 2}}
  // expected-note @+1 {{fix: write one {...} per dimension}}
  %0 = sdy.reduce_scatter [{"a"}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_gather' op axis "a" still shards dimension 1 of the result}}
  // expected-note @+1 {{fix: drop it from out_sharding or from the op's axes}}
  %0 = sdy.all_gather [{"a"}, {}] %arg0 out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_reduce' op axis "b":(2)2 still shards dimension 0 of the result}}
  // expected-note @+1 {{fix: drop it from out_sharding or from the op's axes}}
  %0 = sdy.all_reduce {"b":(2)2} %arg0 out_sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.sharded_to_unreduced' op axis "a" still shards dimension 0 of the result}}
  // expected-note @+1 {{fix: drop it from out_sharding or from the op's axes}}
  %0 = sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.replicated_to_unreduced' op names no axis}}
  // expected-note @+1 {{fix: name at least one axis}}
  %0 = sdy.replicated_to_unreduced {} %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_to_all' op moves nothing}}
  // expected-note @+1 {{fix: give at least one move}}
  %0 = sdy.all_to_all [] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+2 {{'sdy.all_to_all' op moves from dimension 0 to 2, but the value has 2 dimensions}}
  // expected-note @+1 {{fix: name two different dimensions of the value}}
  %0 = sdy.all_to_all [{"a"}: 0->2] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error @+1 {{expected '{'}}
  %0 = sdy.all_reduce product {"a"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}
