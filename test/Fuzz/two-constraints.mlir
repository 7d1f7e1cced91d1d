// What the plan says of one constraint's value is not read for the op that is made after it, whose address may be the same:
// a layout of another rank.
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact --compare-each
// RUN: partita-run %s --partita="uneven-io=pad constraints=hints" --compare=exact
module attributes {mhlo.num_partitions = 12 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=4]>
  func.func public @main(%a: tensor<2x1x5xf32>, %b: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<2x1x5xf32>) {
    %0 = sdy.sharding_constraint %b <@mesh, [{"x"}], replicated={"y"}> : tensor<10xf32>
    %1 = sdy.sharding_constraint %a <@mesh, [{}, {}, {"y"}]> : tensor<2x1x5xf32>
    return %0, %0, %1 : tensor<10xf32>, tensor<10xf32>, tensor<2x1x5xf32>
  }
}
