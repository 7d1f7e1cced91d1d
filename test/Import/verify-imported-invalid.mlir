// RUN: partita-opt %s --spmd-verify-imported --split-input-file --verify-diagnostics

// expected-error @+2 {{is of a dialect that Partita does not read}}
// expected-note @+1 {{fix: lower it to StableHLO first}}
sdy.mesh @m = <["x"=2]>

// -----

sdy.mesh @m = <["x"=2]>
spmd.mesh @n = <["x"=2]>
// expected-error @-2 {{is of a dialect that Partita does not read}}
// expected-note @-3 {{fix}}
func.func @main() { return }

// -----

// expected-error @+2 {{argument 0 still has "mhlo.sharding"}}
// expected-note @+1 {{fix: run spmd-import-sdy and spmd-import-mhlo-shardings}}
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}) { return }

// -----

func.func @main(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{still has "mhlo.sharding"}}
  // expected-note @+1 {{fix}}
  %0 = stablehlo.negate %arg0 {mhlo.sharding = "{replicated}"} : tensor<8xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+2 {{names replica groups or device numbers}}
  // expected-note @+1 {{fix: run spmd-import-collectives}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return
}

// -----

func.func @main() {
  // expected-note @+1 {{called here}}
  call @f() : () -> ()
  // expected-note @+1 {{called here}}
  call @f() : () -> ()
  return
}
// expected-error @+2 {{has 2 call sites; a private function must have one}}
// expected-note @+1 {{fix: run spmd-clone-callees}}
func.func private @f() { return }

// -----

func.func @main() { return }
// expected-error @+2 {{has 0 call sites; a private function must have one}}
// expected-note @+1 {{fix: run spmd-clone-callees}}
func.func private @f() { return }
