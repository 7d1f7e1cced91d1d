// RUN: partita-opt %s --split-input-file --verify-diagnostics

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body arguments have types ('tensor<4xf32>'), operands ('tensor<8xf32>')}}
  // expected-note @+1 {{fix: give the body one argument of the same type per operand}}
  %0 = spmd.start (%arg0) (%a: tensor<4xf32>) {
    %r = spmd.all_reduce add %a {"x"} on @m : (tensor<4xf32>) -> tensor<4xf32>
    spmd.return %r : tensor<4xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<4xf32>>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body is not one collective}}
  // expected-note @+1 {{fix: start each collective on its own}}
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    %r = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
    %s = spmd.all_reduce add %r {"y"} on @m : (tensor<8xf32>) -> tensor<8xf32>
    spmd.return %s : tensor<8xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<8xf32>>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body is not one collective}}
  // expected-note @+1 {{fix: start each collective on its own}}
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    spmd.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<8xf32>>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body is not one collective}}
  // expected-note @+1 {{fix: start each collective on its own}}
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    %b = spmd.propagation_barrier %a allowed = both : tensor<8xf32>
    spmd.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<8xf32>>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body does not pass its arguments to the collective and return its results, in order}}
  // expected-note @+1 {{fix: use each argument and result once, in order}}
  %0 = spmd.start (%arg0, %arg0) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %r:2 = spmd.all_reduce add %b, %a {"x"} on @m : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    spmd.return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> !spmd.future<tensor<8xf32>, tensor<8xf32>>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{body does not pass its arguments}}
  // expected-note @+1 {{fix: use each argument and result once, in order}}
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    %r = spmd.all_reduce add %a {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
    spmd.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<8xf32>>
  return
}

// -----

spmd.mesh @m = <["x"=4, "y"=3]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{gives '!spmd.future<tensor<8xf32>>', but the collective gives ('tensor<32xf32>')}}
  // expected-note @+1 {{fix: list the collective's result types in the future}}
  %0 = spmd.start (%arg0) (%a: tensor<8xf32>) {
    %r = spmd.all_gather %a [{"x"}] on @m : (tensor<8xf32>) -> tensor<32xf32>
    spmd.return %r : tensor<32xf32>
  } : (tensor<8xf32>) -> !spmd.future<tensor<8xf32>>
  return
}

// -----

func.func @f(%arg0: !spmd.future<tensor<8xf32>>) {
  // expected-error @+2 {{gives ('tensor<8xf32>', 'tensor<8xf32>'), but waits for '!spmd.future<tensor<8xf32>>'}}
  // expected-note @+1 {{fix: give the types that the future lists}}
  %0:2 = spmd.done %arg0 : !spmd.future<tensor<8xf32>> -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be The values of a collective that has been started}}
  %0 = "spmd.done"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
