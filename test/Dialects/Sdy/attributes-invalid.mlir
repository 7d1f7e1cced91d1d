// What the parsers of meshes, axes, shardings and rules refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{custom op 'sdy.mesh' size of mesh axis "b" must be at least 1, got 0}}
sdy.mesh @m = <["a"=2, "b"=0]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' mesh has two axes called "a"}}
sdy.mesh @m = <["a"=2, "a"=4]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' the number of devices does not fit 64 bits}}
sdy.mesh @m = <["a"=4294967296, "b"=4294967296]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' device id -1 is negative}}
sdy.mesh @m = <[], device_ids=[-1]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' a mesh without axes may name one device, got 2}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' device_ids lists 2 devices, but the axes have 4}}
sdy.mesh @m = <["a"=2, "b"=2], device_ids=[1, 0]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' device id 2 is not in [0, 2)}}
sdy.mesh @m = <["a"=2], device_ids=[0, 2]>

// -----

// expected-error @+1 {{custom op 'sdy.mesh' device id 1 occurs twice}}
sdy.mesh @m = <["a"=2], device_ids=[1, 1]>

// -----

// expected-error @+1 {{expected '='}}
sdy.mesh @m = <["a"]>

// -----

// expected-error @+1 {{sub-axis "a":(0)2 needs a pre-size of at least 1 and a size of at least 2}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(0)2}]>})

// -----

// expected-error @+1 {{sub-axis "a":(2)1 needs a pre-size of at least 1 and a size of at least 2}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a":(2)1}]>})

// -----

// expected-error @+1 {{expected a priority p<number> without leading zeros, got 'p01'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p01]>})

// -----

// expected-error @+1 {{expected a priority p<number> without leading zeros, got 'high'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}high]>})

// -----

// expected-error @+1 {{expected string}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", }]>})

// -----

// expected-error @+1 {{expected '}'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?, "a"}]>})

// -----

// expected-error @+1 {{expected valid '@'-identifier for symbol name}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<"m", [{"a"}]>})

// -----

// expected-error @+1 {{expected sum, max or min, got 'product'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=product{"a"}>})

// -----

// expected-error @+1 {{expected 'replicated' or 'unreduced', each once, got 'reduced'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], reduced={"a"}>})

// -----

// expected-error @+1 {{expected 'replicated' or 'unreduced', each once, got 'replicated'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"a"}, replicated={"b"}>})

// -----

// expected-error @+1 {{unknown attribute `sharding_of_something` in dialect `sdy`}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding_of_something<@m, [{}]>})

// -----

// expected-error @+1 {{'a' is not a list of factors i to z, z_1, z_2, ...}}
module attributes {sdy.note = #sdy.op_sharding_rule<([a])->([i]) {i=8}>} {}

// -----

// expected-error @+1 {{'z_0' is not a list of factors i to z, z_1, z_2, ...}}
module attributes {sdy.note = #sdy.op_sharding_rule<([z_0])->([i]) {i=8}>} {}

// -----

// expected-error @+1 {{'z_9223372036854775807' is not a list of factors i to z, z_1, z_2, ...}}
module attributes {sdy.note = #sdy.op_sharding_rule<([z_9223372036854775807])->([i]) {i=8}>} {}

// -----

// expected-error @+1 {{expected one factor, got 2}}
module attributes {sdy.note = #sdy.op_sharding_rule<([i])->([i]) {ij=8}>} {}

// -----

// expected-error @+1 {{factor sizes must come in order: expected j, got k}}
module attributes {sdy.note = #sdy.op_sharding_rule<([i])->([i]) {i=8, k=2}>} {}

// -----

// expected-error @+1 {{expected 'custom'}}
module attributes {sdy.note = #sdy.op_sharding_rule<([i])->([i]) {i=8}, customised>} {}

// -----

// expected-error @+1 {{expected '->'}}
module attributes {sdy.note = #sdy<all_to_all_param_list[{"a"}: 0]>} {}

// -----

// expected-error @+1 {{expected string}}
module attributes {sdy.note = #sdy<manual_axes{a}>} {}
