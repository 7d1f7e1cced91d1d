// RUN: partita-opt %s --spmd-clone-callees --split-input-file --verify-diagnostics

// expected-error @+2 {{the module has no function @main; it has @f, @g}}
// expected-note @+1 {{fix: name the entry function 'main'}}
module {
  func.func @f() { return }
  func.func private @g() { return }
}

// -----

func.func @main() {
  call @a() : () -> ()
  return
}
func.func private @a() {
  // expected-note @+1 {{calls @b}}
  call @b() : () -> ()
  return
}
func.func private @b() {
  // expected-error @+3 {{closes a cycle of calls: @a -> @b -> @a}}
  // expected-note @+2 {{calls @a}}
  // expected-note @+1 {{fix: write the recursion as a loop}}
  call @a() : () -> ()
  return
}
