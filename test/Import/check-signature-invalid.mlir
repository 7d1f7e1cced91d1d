// RUN: partita-opt %s --spmd-check-signature --split-input-file --verify-diagnostics

spmd.mesh @m = <["x"=2, "y"=4]>
// expected-error @+3 {{argument 1 of @main: dimension 0 of size 10 does not divide into 8 shards along {"x", "y"} of mesh @m; its type is 'tensor<10x4xf32>'}}
// expected-note @+2 {{fix: pad the dimension to 16, shard it over {"x"} only, shard another dimension, or allow padding with uneven-io=pad}}
func.func @main(%arg0: tensor<8xf32>,
    %arg1: tensor<10x4xf32> {spmd.sharding = #spmd.sharding<@m, [{"x", "y"}, {}]>}) {
  return
}

// -----

spmd.mesh @m = <["d"=8]>
// expected-error @+2 {{result 0 of @main (result['logits']): dimension 0 of size 10 does not divide into 8 shards along {"d"} of mesh @m}}
// expected-note @+1 {{fix: pad the dimension to 16, shard another dimension, or allow padding with uneven-io=pad}}
func.func @main(%arg0: tensor<10x4xf32>) -> (tensor<10x4xf32> {jax.result_info = "result['logits']", spmd.sharding = #spmd.sharding<@m, [{"d"}, {}]>}) {
  return %arg0 : tensor<10x4xf32>
}

// -----

spmd.mesh @m = <["d"=8]>
// Fewer elements than shards do not divide either.
// expected-error @+2 {{argument 0 of @main: dimension 0 of size 3 does not divide into 8 shards}}
// expected-note @+1 {{fix: pad the dimension to 8}}
func.func @main(%arg0: tensor<3xf32> {spmd.sharding = #spmd.sharding<@m, [{"d"}]>}) {
  return
}
