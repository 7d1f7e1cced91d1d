// What the verifiers of annotations, regions and edges refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.sharding_constraint' op unknown mesh @missing}}
  // expected-note @+1 {{fix: define it with sdy.mesh in the module}}
  %0 = sdy.sharding_constraint %arg0 <@missing, [{"a"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.reshard' op the sharding has 2 dimensions, but the type 'tensor<8xf32>' has 1}}
  // expected-note @+1 {{fix: write one {...} per dimension of the type}}
  %0 = sdy.reshard %arg0 <@m, [{"a", "b"}, {}]> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.propagation_barrier' op allows both directions and so bars nothing}}
  // expected-note @+1 {{fix: allow FORWARD, BACKWARD or NONE, or remove the op}}
  %0 = sdy.propagation_barrier %arg0 allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{custom op 'sdy.propagation_barrier' expected string or keyword containing one of the following enum values for attribute 'allowed_direction' [NONE, FORWARD, BACKWARD, BOTH]}}
  %0 = sdy.propagation_barrier %arg0 allowed_direction=UP : tensor<8xf32>
  return
}

// -----

// expected-error @+2 {{'sdy.constant' op value has type 'tensor<8xf32>', the result 'tensor<4xf32>'}}
// expected-note @+1 {{fix: give both the same type}}
%0 = "sdy.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> tensor<4xf32>

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op operand 0: dimension 0 has manual axis "a" after free axis "b"}}
  // expected-note @+1 {{fix: put the manual axes of a dimension first}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"b", "a"}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<6xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op operand 0: dimension 0 of size 6 does not divide by its manual axes, of size 4}}
  // expected-note @+1 {{fix: pad the dimension to 8 before the region}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a", "b"}]>] out_shardings=[<@m, [{}]>] manual_axes={"a", "b"} (%arg1: tensor<2xf32>) {
    sdy.return %arg1 : tensor<2xf32>
  } : (tensor<6xf32>) -> tensor<2xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op operand 0: the body has type 'tensor<8xf32>', but 'tensor<8xf32>' split along the manual axes is 'tensor<4xf32>'}}
  // expected-note @+1 {{fix: use the local type in the body}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op result 0: the body has type 'tensor<8xf32>', but 'tensor<8xf32>' split along the manual axes is 'tensor<4xf32>'}}
  // expected-note @+1 {{fix: use the local type in the body}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op has 1 operands, but its body has 0}}
  // expected-note @+1 {{fix: give the body one value per operand}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} () {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op has 1 results, but its body has 0}}
  // expected-note @+1 {{fix: give the body one value per result}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op has 0 shardings for 1 operands}}
  // expected-note @+1 {{fix: write one sharding per operand}}
  sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[] manual_axes={} (%arg1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+2 {{'sdy.manual_computation' op manual axis "a" is listed twice}}
  // expected-note @+1 {{fix: list each manual axis once}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a", "a"} () {
    sdy.return
  } : () -> ()
  return
}

// -----

func.func @f() {
  // expected-note @+1 {{made manual here}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    // expected-error @+2 {{'sdy.manual_computation' op axis "a" is already manual in an enclosing sdy.manual_computation}}
    // expected-note @+1 {{fix: make it manual once}}
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
      sdy.return
    } : () -> ()
    sdy.return
  } : () -> ()
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
sdy.mesh @n = <["a"=2, "b"=4]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op has shardings on different meshes, #sdy.mesh<["a"=2, "b"=2]> and #sdy.mesh<["a"=2, "b"=4]>}}
  // expected-note @+1 {{fix: use one mesh for all operands and results}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@n, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.manual_computation' op unknown manual axis "c" on mesh #sdy.mesh<["a"=2, "b"=2]>}}
  // expected-note @+1 {{fix: name axes of the mesh}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"c"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    // expected-error @+1 {{'sdy.return' op using value defined outside the region}}
    sdy.return %arg0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.named_computation' op has 1 operands, but its body has 0}}
  // expected-note @+1 {{fix: give the body one value per operand}}
  %0 = sdy.named_computation<"n">(%arg0) () {
    %1 = sdy.constant dense<0.0> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.named_computation' op operand 0: has type 'tensor<8xf32>', but 'tensor<4xf32>' in the body}}
  // expected-note @+1 {{fix: use the same type inside and outside}}
  %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.named_computation' op result 0: has type 'tensor<4xf32>', but 'tensor<8xf32>' in the body}}
  // expected-note @+1 {{fix: use the same type inside and outside}}
  %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.named_computation' op operand 0: unknown mesh @missing}}
  // expected-note @+1 {{fix: define it with sdy.mesh in the module}}
  %0 = sdy.named_computation<"n">(%arg0) in_shardings=[<@missing, [{}]>] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.named_computation' op has 0 shardings for 1 results}}
  // expected-note @+1 {{fix: write one sharding per result}}
  %0 = sdy.named_computation<"n">(%arg0) out_shardings=[] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<?xf32>) {
  // expected-error @+2 {{'sdy.func_data_flow_edge' op needs a static shape, got 'tensor<?xf32>'}}
  // expected-note @+1 {{fix: give every dimension a size}}
  %0 = sdy.func_data_flow_edge %arg0 : tensor<?xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{'sdy.data_flow_edge' op must be the only use of its operand}}
  // expected-note @+1 {{fix: let the other uses read the edge's result}}
  %0 = sdy.data_flow_edge %arg0 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{'sdy.data_flow_edge' op the sharding has 2 dimensions, but the type 'tensor<8xf32>' has 1}}
  // expected-note @+1 {{fix: write one {...} per dimension of the type}}
  %0 = sdy.data_flow_edge %arg0 sharding=<@m, [{}, {}]> : tensor<8xf32>
  return
}

// -----

func.func @f() {
  %0 = sdy.constant dense<0.0> : tensor<8xf32>
  // expected-error @+2 {{'sdy.func_data_flow_edge' op operand is neither a function argument nor a result of func.call}}
  // expected-note @+1 {{fix: use sdy.data_flow_edge for other ops}}
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}
