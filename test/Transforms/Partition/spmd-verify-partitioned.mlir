// RUN: partita-opt %s --spmd-verify-partitioned --split-input-file --verify-diagnostics

// Local shapes and collectives, uneven blocks included.
spmd.mesh @mesh = <["x"=4]>
func.func @good(%a: tensor<2xf32> {spmd.global_type = tensor<7xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{}]>}) {
  %0 = spmd.all_gather %a [{"x"}] on @mesh : (tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A reshard says nothing of how it is done.
spmd.mesh @mesh = <["x"=4]>
func.func @reshard(%a: tensor<2xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{'spmd.reshard' op is left after partition}}
  // expected-note @+1 {{fix: run spmd-partition on a module at phase placed}}
  %0 = spmd.reshard %a <@mesh, [{}]> : tensor<2xf32>
  return
}

// -----

// Values inside have no shardings any more.
spmd.mesh @mesh = <["x"=4]>
func.func @sharding(%a: tensor<2xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  // expected-error @+2 {{'stablehlo.negate' op still has shardings after partition}}
  // expected-note @+1 {{fix: run spmd-partition}}
  %0 = stablehlo.negate %a {spmd.shardings = [#spmd.sharding<@mesh, [{"x"}]>]} : tensor<2xf32>
  return
}

// -----

// A whole shape where the local one is due.
spmd.mesh @mesh = <["x"=4]>
// expected-error @+2 {{argument #0 is 'tensor<8xf32>', which is not what #spmd.sharding<@mesh, [{"x"}]> makes of 'tensor<8xf32>'}}
// expected-note @+1 {{fix: run spmd-partition}}
func.func @whole(%a: tensor<8xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

// Nothing says what the result is a part of.
spmd.mesh @mesh = <["x"=4]>
// expected-error @+2 {{result #0 has no spmd.global_type}}
// expected-note @+1 {{fix: run spmd-partition}}
func.func @unknown(%a: tensor<2xf32> {spmd.global_type = tensor<8xf32>, spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) -> (tensor<2xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>}) {
  return %a : tensor<2xf32>
}
