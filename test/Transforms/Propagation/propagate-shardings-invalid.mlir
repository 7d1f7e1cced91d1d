// RUN: partita-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect --spmd-propagate-shardings %s

spmd.mesh @mesh = <["x"=2]>

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has no sharding rule: no op model covers 'unknown.op'}}
  // expected-note @below {{fix: add a model to a family file in lib/OpModels}}
  %0 = "unknown.op"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{value of dynamic shape 'tensor<?xf32>' cannot be sharded}}
// expected-note @below {{fix: give every dimension a size}}
func.func @main(%a: tensor<?xf32>) {
  return
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{the other call}}
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{calls @f, which is called elsewhere too}}
  // expected-note @below {{fix: import the module first, which makes one function per call}}
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// expected-error @below {{calls itself, directly or not}}
// expected-note @below {{fix: write the recursion as a loop}}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-note @below {{another member of the group}}
  spmd.group %a id = 0 : tensor<8xf32>
  // expected-error @below {{group 0 has shape 'tensor<4xf32>' here and 'tensor<8xf32>' elsewhere}}
  // expected-note @below {{fix: give the two a group each}}
  spmd.group %b id = 0 : tensor<4xf32>
  return
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{another member of the group}}
  spmd.group %a id = 0 : tensor<8xf32>
  %0 = "spmd.manual"(%a) <{in_shardings = [#spmd.sharding<@mesh, [{}]>],
                           out_shardings = [#spmd.sharding<@mesh, [{}]>],
                           manual_axes = #spmd.axes<{"x"}>}> ({
  ^bb0(%b: tensor<8xf32>):
    // expected-error @below {{group 0 crosses the border of a manual region}}
    // expected-note @below {{fix: give the two a group each}}
    spmd.group %b id = 0 : tensor<8xf32>
    spmd.return %b : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

spmd.mesh @mesh = <["x"=2, "y"=3]>

// expected-warning @below {{the values of a group have different shardings to begin with; each is resharded to the one that the group gets}}
// expected-note @below {{fix: give the values one sharding, or none}}
func.func @main(%a: tensor<12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}]>},
                %b: tensor<12xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"y"}]>}) -> tensor<12xf32> {
  spmd.group %a id = 0 : tensor<12xf32>
  spmd.group %b id = 0 : tensor<12xf32>
  %0 = stablehlo.add %a, %b : tensor<12xf32>
  return %0 : tensor<12xf32>
}
