// RUN: partita-opt --xla-wrap-manual-form --split-input-file --verify-diagnostics %s

// expected-error@+2 {{the module has no main}}
// expected-note@+1 {{fix: name the entry function main}}
module {
  func.func @f() {
    return
  }
}

// -----

spmd.mesh @a = <["x"=4]>
spmd.mesh @b = <["x"=2]>
// expected-error@+2 {{main's signature uses two meshes, @a and @b}}
// expected-note@+1 {{fix: shard arguments and results on one mesh}}
func.func @main(%arg0: tensor<2xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@a, [{"x"}]>}, %arg1: tensor<4xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@b, [{"x"}]>}) {
  return
}

// -----

spmd.mesh @m = <["x"=6]>
// expected-error@+2 {{main's signature cuts an axis of mesh @m into parts that do not nest}}
// expected-note@+1 {{fix: use sub-axes of one split of the axis}}
func.func @main(%arg0: tensor<4xf32> {spmd.global_type = tensor<12xf32>, spmd.sharding = #spmd.sharding<@m, [{"x":(1)3}]>}, %arg1: tensor<6xf32> {spmd.global_type = tensor<12xf32>, spmd.sharding = #spmd.sharding<@m, [{"x":(1)2}]>}) {
  return
}

// -----

// expected-error@+2 {{main's signature has a type that is no ranked tensor}}
// expected-note@+1 {{fix: use ranked tensors}}
func.func @main(%arg0: !stablehlo.token) {
  return
}

// -----

spmd.mesh @m = <["x"=4]>
// expected-error@+2 {{main's signature has parts of a reduction by mul, which Shardy has no sharding for}}
// expected-note@+1 {{fix: reduce it, or keep parts of sums, maxima and minima}}
func.func @main(%arg0: tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@m, [{}], unreduced=[mul]{"x"}>}) {
  return
}
