// Machine code is kept by content: the second run finds it, another program, a
// damaged file and --no-cache do not.
// RUN: rm -rf %t && mkdir %t
// RUN: partita-run %s --engine=jit --cache-dir=%t/cache --outputs=%t/a.npz --json | FileCheck %s --check-prefix=MISS
// RUN: partita-run %s --engine=jit --cache-dir=%t/cache --outputs=%t/b.npz --json | FileCheck %s --check-prefix=HIT
// RUN: cmp %t/a.npz %t/b.npz
// RUN: sed 's/multiply/add/' %s > %t/other.mlir
// RUN: partita-run %t/other.mlir --engine=jit --cache-dir=%t/cache --json | FileCheck %s --check-prefix=MISS
// Locations are not content.
// RUN: sed '1i // a line more' %s > %t/moved.mlir
// RUN: partita-run %t/moved.mlir --engine=jit --cache-dir=%t/cache --json | FileCheck %s --check-prefix=HIT
// RUN: for f in %t/cache/llvmcache-*; do echo damage >> $f; done
// RUN: partita-run %s --engine=jit --cache-dir=%t/cache --outputs=%t/c.npz --json | FileCheck %s --check-prefix=MISS
// RUN: cmp %t/a.npz %t/c.npz
// RUN: partita-run %s --engine=jit --cache-dir=%t/cache --json | FileCheck %s --check-prefix=HIT
// RUN: partita-run %s --engine=jit --cache-dir=%t/cache --no-cache --json | FileCheck %s --check-prefix=MISS
// A folder that cannot be made is no error.
// RUN: partita-run %s --engine=jit --cache-dir=%t/a.npz/cache --json | FileCheck %s --check-prefix=MISS
// The default is in XDG_CACHE_HOME.
// RUN: env XDG_CACHE_HOME=%t/xdg partita-run %s --engine=jit --json | FileCheck %s --check-prefix=MISS
// RUN: ls %t/xdg/partita/llvmcache-*
// MISS: "from_cache":false
// HIT: "from_cache":true

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<8xf32>
  %1 = stablehlo.exponential %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
