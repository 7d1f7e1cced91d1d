// Every op is printed to a fixed point in pretty form and in generic form, and no
// pass drops an expectation.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s --canonicalize --cse | FileCheck %s
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -
// RUN: partita-opt %s --verify-roundtrip > /dev/null

// CHECK-LABEL: func.func @expectations
func.func @expectations(%arg0: tensor<2xi32>, %arg1: tensor<2xf32>, %arg2: tensor<complex<f32>>) {
  // CHECK: check.expect_eq %arg0, %arg0 : tensor<2xi32>
  check.expect_eq %arg0, %arg0 : tensor<2xi32>
  // CHECK: check.expect_eq_const %arg0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %arg0, dense<[1, 2]> : tensor<2xi32>
  // CHECK: check.expect_almost_eq %arg1, %arg1 : tensor<2xf32>
  check.expect_almost_eq %arg1, %arg1 : tensor<2xf32>
  // CHECK: check.expect_almost_eq %arg1, %arg1, tolerance = 1.000000e-03 : tensor<2xf32>
  check.expect_almost_eq %arg1, %arg1, tolerance = 0.001 : tensor<2xf32>
  // CHECK: check.expect_almost_eq_const %arg1, dense<[{{.*}}, 2.000000e+00]> : tensor<2xf32>
  check.expect_almost_eq_const %arg1, dense<[0.999999, 2.0]> : tensor<2xf32>
  // CHECK: check.expect_almost_eq_const %arg2, dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>, tolerance = 1.000000e-01
  check.expect_almost_eq_const %arg2, dense<(1.0, 2.0)> : tensor<complex<f32>>, tolerance = 0.1
  // CHECK: check.expect_close %arg1, %arg1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %arg1, %arg1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  // CHECK: check.expect_close %arg1, %arg1, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %arg1, %arg1, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  // CHECK: check.expect_serialized_eq %arg0, probe_id = "p" : tensor<2xi32>
  check.expect_serialized_eq %arg0, probe_id = "p" : tensor<2xi32>
  // CHECK: check.expect_serialized_eq %arg0, probe_id = "p", iter = 2 : tensor<2xi32>
  check.expect_serialized_eq %arg0, probe_id = "p", iter = 2 : tensor<2xi32>
  return
}

// CHECK-LABEL: func.func @interpreter
func.func @interpreter(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // CHECK: interpreter.print %arg0 : tensor<2xi32>
  interpreter.print %arg0 : tensor<2xi32>
  // CHECK: interpreter.probe %arg0, probe_id = "p" : tensor<2xi32>
  %0 = interpreter.probe %arg0, probe_id = "p" : tensor<2xi32>
  // CHECK: "interpreter.run_parallel"(%arg0, %arg1) <{infeed = [@feed, @feed], programs = {{\[\[}}@one, @one], [@none, @none]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %1:2 = "interpreter.run_parallel"(%arg0, %arg1) {
    infeed = [@feed, @feed], programs = [[@one, @one], [@none, @none]]
  } : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  return
}
func.func private @one(tensor<2xi32>) -> tensor<2xi32>
func.func private @none()
func.func private @feed() -> tensor<2xi32>
