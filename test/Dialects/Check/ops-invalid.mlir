// What the verifiers of check and interpreter ops refuse.
// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @f(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{'check.expect_close' op min_ulp_difference 2 is above max_ulp_difference 1}}
  // expected-note @+1 {{fix: no value can meet both; swap or drop one}}
  check.expect_close %arg0, %arg0, max_ulp_difference = 1, min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+1 {{'check.expect_close' op failed to verify that all of {actual, expected} have same type}}
  check.expect_close %arg0, %arg1, max_ulp_difference = 1 : tensor<2xf32>, tensor<3xf32>
  return
}

// -----

func.func @f(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'check.expect_almost_eq_const' op operand #0 must be ranked tensor of floating-point or complex-type values, but got 'tensor<2xi32>'}}
  check.expect_almost_eq_const %arg0, dense<1> : tensor<2xi32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @f(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{use of value '%arg0' expects different type than prior uses: 'tensor<3xi32>' vs 'tensor<2xi32>'}}
  check.expect_eq_const %arg0, dense<1> : tensor<3xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op runs no program}}
  // expected-note @+1 {{fix: name a function per process, as programs = [[@f, @f]]}}
  "interpreter.run_parallel"() {programs = []} : () -> ()
  return
}

// -----

func.func private @g()
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op replica 1 has 1 programs, replica 0 has 2}}
  // expected-note @+1 {{fix: give each replica the same number of partitions}}
  "interpreter.run_parallel"() {programs = [[@g, @g], [@g]]} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op unknown function @g}}
  // expected-note @+1 {{fix: define it in the same module}}
  "interpreter.run_parallel"() {programs = [[@g]]} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'interpreter.run_parallel' op attribute 'programs' failed to satisfy constraint: rows of function symbols}}
  "interpreter.run_parallel"() {programs = [["g"]]} : () -> ()
  return
}

// -----

func.func private @g(tensor<2xi32>)
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op has 0 operands, but its programs take 1}}
  // expected-note @+1 {{fix: pass the operands of all processes in row order}}
  "interpreter.run_parallel"() {programs = [[@g]]} : () -> ()
  return
}

// -----

func.func private @g() -> tensor<2xi32>
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op has 0 results, but its programs return 1}}
  // expected-note @+1 {{fix: take the results of all processes in row order}}
  "interpreter.run_parallel"() {programs = [[@g]]} : () -> ()
  return
}

// -----

func.func private @g()
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op has an empty infeed}}
  // expected-note @+1 {{fix: leave infeed out}}
  "interpreter.run_parallel"() {infeed = [], programs = [[@g]]} : () -> ()
  return
}

// -----

func.func private @g()
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op unknown function @h}}
  // expected-note @+1 {{fix: define it in the same module}}
  "interpreter.run_parallel"() {infeed = [@h], programs = [[@g]]} : () -> ()
  return
}

// -----

func.func private @g()
func.func private @h(tensor<i32>) -> tensor<i32>
func.func @f() {
  // expected-error @+2 {{'interpreter.run_parallel' op infeed function @h has type '(tensor<i32>) -> tensor<i32>'}}
  // expected-note @+1 {{fix: an infeed function takes nothing and returns one tensor}}
  "interpreter.run_parallel"() {infeed = [@h], programs = [[@g]]} : () -> ()
  return
}
