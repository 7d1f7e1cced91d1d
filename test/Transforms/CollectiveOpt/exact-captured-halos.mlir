// Values from outside the loop are read as far as they are, which may be farther
// than what the trips carry; where trips change nothing that is read, halos are
// for hoisting.
// RUN: partita-run %s --partita="uneven-io=pad halo-depth=2 machine=free-network" --compare=exact --compare-each | FileCheck %s
// RUN: sed 's/"x"=2/"x"=5/' %s | partita-run - --partita="uneven-io=pad halo-depth=3 machine=free-network" --engine=jit --no-cache --compare=unsharded | FileCheck %s
// RUN: partita-run %s --partita="uneven-io=pad machine=free-network" --compare=exact | FileCheck %s
// RUN: partita-opt %s --partita="uneven-io=pad halo-depth=2 machine=free-network" --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// CHECK: equal
// REFUSED: stays in each trip{{.*}}no trip changes what it reads

spmd.mesh @mesh = <["x"=2]>
#x = #spmd.sharding<@mesh, [{"x"}]>

func.func @main(%a: tensor<25xf32> {spmd.sharding = #x}, %k: tensor<25xf32> {spmd.sharding = #x})
    -> (tensor<25xf32> {spmd.sharding = #x}, tensor<25xf32> {spmd.sharding = #x}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>

  // The carried value by one, the captured one by three.
  %far:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<25xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %left = spmd.shift %x dim = 0 by = 1 edge : tensor<25xf32>
    %field = spmd.shift %k dim = 0 by = 3 edge : tensor<25xf32>
    %next = stablehlo.multiply %left, %field : tensor<25xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<25xf32>
  }

  // Only the captured one.
  %alone:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<25xf32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %field = spmd.shift %k dim = 0 by = -2 edge : tensor<25xf32>
    %next = stablehlo.add %x, %field : tensor<25xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<25xf32>
  }
  return %far#1, %alone#1 : tensor<25xf32>, tensor<25xf32>
}
