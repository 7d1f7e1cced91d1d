// RUN: partita-opt %s --spmd-check-meshes --split-input-file --verify-diagnostics

module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+2 {{@m = #spmd.mesh<["x"=8]> has 8 devices, but the machine has 4 (mhlo.num_partitions)}}
  // expected-note @+1 {{fix: make the mesh no larger than the machine, or lower for 8 devices}}
  spmd.mesh @m = <["x"=8]>
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+2 {{@m is device 4, but the machine has 4 devices (mhlo.num_partitions)}}
  // expected-note @+1 {{fix: name a device from 0 to 3}}
  spmd.mesh @m = <[], device_ids=[4]>
}

// -----

// expected-error @+2 {{the module asks for 2 replicas (mhlo.num_replicas)}}
// expected-note @+1 {{fix: lower with jax.shard_map or jit}}
module attributes {mhlo.num_replicas = 2 : i32} {
}

// -----

module attributes {mhlo.num_partitions = 8 : i32} {
  // expected-note @+1 {{mesh @m is defined here}}
  spmd.mesh @m = <["d"=8]>
  // expected-note @+1 {{mesh @small is defined here}}
  spmd.mesh @small = <["d"=4]>
  // expected-note @+1 {{argument 0 of @main is laid out as <@m, [{"d"}]>}}
  func.func @main(%arg0: tensor<16xf32> {spmd.sharding = #spmd.sharding<@m, [{"d"}]>}) -> tensor<16xf32> {
    // expected-error @+2 {{this spmd.constraint is on mesh @small, devices [0, 1, 2, 3], but argument 0 of @main is on mesh @m, devices [0, 1, 2, 3, 4, 5, 6, 7]}}
    // expected-note @+1 {{fix: use meshes over the same devices throughout}}
    %0 = spmd.constraint %arg0 <@small, [{"d"}]> : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// A smaller mesh than the machine's, another order of devices, and a single
// device are fine.
module attributes {mhlo.num_partitions = 8 : i32} {
  spmd.mesh @m = <["d"=4]>
  spmd.mesh @n = <["d"=4], device_ids=[3, 2, 1, 0]>
  spmd.mesh @one = <[], device_ids=[7]>
  func.func @main(%arg0: tensor<16xf32> {spmd.sharding = #spmd.sharding<@m, [{"d"}]>}) -> tensor<16xf32> {
    %0 = spmd.constraint %arg0 <@n, [{"d"}]> : tensor<16xf32>
    %1 = stablehlo.custom_call @callback(%0) {spmd.shardings = [#spmd.sharding<@one, [{}]>]} : (tensor<16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
