// RUN: partita-opt %s --split-input-file --verify-diagnostics

func.func @if_results(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.if' op the false branch has returned value 0 of type 'tensor<5xf32>', expected 'tensor<4xf32>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<5xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if_pred(%p: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.if' op needs a predicate of rank 0, not 'tensor<2xi1>'}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @case_arguments(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op branch 1 has 1 arguments, expected 0}}
  "stablehlo.case"(%i) ({
    stablehlo.return
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

func.func @while_condition(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.while' op the condition has returned value 0 of type 'tensor<4xf32>', expected 'tensor<i1>'}}
  %0 = stablehlo.while(%y = %x) : tensor<4xf32>
  cond {
    stablehlo.return %y : tensor<4xf32>
  } do {
    stablehlo.return %y : tensor<4xf32>
  }
  return
}

// -----

func.func @while_body(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op the body has 0 returned values, expected 1}}
  %0 = stablehlo.while(%y = %x) : tensor<4xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// -----

func.func @while_end(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op the body ends with func.return, not with stablehlo.return}}
  %0 = stablehlo.while(%y = %x) : tensor<4xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    func.return %y : tensor<4xf32>
  }
  return
}
