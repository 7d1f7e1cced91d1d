// Ten ops and two functions come down to the one op that the script looks for and
// the op that gives it a use.
// RUN: partita-reduce %s -reduce-ops='test=%S/Inputs/has-sine.sh' | FileCheck %s

// CHECK: func.func @main(%[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<4x4xf32>)
// CHECK-NEXT: %[[SINE:.*]] = stablehlo.sine %[[A]]
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// Upstream's wrapper reduces by a pass.
// RUN: partita-reduce %s -opt-reduction-pass='opt-pass=symbol-dce test=%S/Inputs/has-sine.sh' | FileCheck %s --check-prefix=DCE
// DCE: stablehlo.sine
// DCE-NOT: @unused

// What cannot be reduced is said.
// RUN: not partita-reduce %s -reduce-ops 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: reduce-ops has no script
// NONE: fix: name one
// RUN: not partita-reduce %s -reduce-ops='test=%t.missing' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot run the script
// RUN: not partita-reduce %s -reduce-ops=test=/bin/true 2>&1 | FileCheck %s --check-prefix=DULL
// DULL: error: the script does not find the whole program interesting

func.func @main(%a: tensor<4xf32>, %b: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.add %0, %a : tensor<4xf32>
  %2 = stablehlo.dot_general %b, %1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.sine %2 : tensor<4xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<4xf32>
  %5 = call @shifted(%4, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}
func.func private @shifted(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
