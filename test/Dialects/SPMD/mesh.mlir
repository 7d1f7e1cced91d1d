// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt -mlir-print-op-generic %s | partita-opt | FileCheck %s
// RUN: partita-opt --verify-roundtrip %s -o /dev/null

// CHECK: spmd.mesh @plain = <["x"=4, "y"=2]>
spmd.mesh @plain = <["x"=4, "y"=2]>
// CHECK: spmd.mesh @one_axis = <["x"=3]>
spmd.mesh @one_axis = <["x"=3]>
// CHECK: spmd.mesh @size_one = <["x"=1, "long name"=6]>
spmd.mesh @size_one = <["x"=1, "long name"=6]>
// CHECK: spmd.mesh @empty = <[]>
spmd.mesh @empty = <[]>
// CHECK: spmd.mesh @maximal = <[], device_ids=[5]>
spmd.mesh @maximal = <[], device_ids=[5]>
// CHECK: spmd.mesh @listed = <["x"=3, "y"=2], device_ids=[0, 2, 1, 4, 3, 5]>
spmd.mesh @listed = <["x"=3, "y"=2], device_ids=[0, 2, 1, 4, 3, 5]>
// CHECK: spmd.mesh @iota = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>
spmd.mesh @iota = <["x"=4, "y"=2], device_ids=iota([2, 4]T(1, 0))>
// CHECK: spmd.mesh @links = <["x"=4 link(1.0e-06, 4.5e+10), "y"=2]>
spmd.mesh @links = <["x"=4 link(1.0e-06, 4.5e+10), "y"=2]>
// CHECK: spmd.mesh @odd_links = <["x"=4 link(1.234567890123e-06, 0.0e+00)]>
spmd.mesh @odd_links = <["x"=4 link(0.000001234567890123, 0.0)]>
// CHECK: spmd.mesh @carried = <["x"=2]> {other.note = "kept"}
spmd.mesh @carried = <["x"=2]> {other.note = "kept"}

// CHECK: module @nested
module @nested {
  // CHECK: spmd.mesh @plain = <["z"=5]>
  spmd.mesh @plain = <["z"=5]>
  // The nearest mesh of the name counts; others are found further out.
  // CHECK: func.func @f
  func.func @f(%arg0: tensor<10xf32> {spmd.sharding = #spmd.sharding<@plain, [{"z"}]>},
               %arg1: tensor<6xf32> {spmd.sharding = #spmd.sharding<@one_axis, [{"x"}]>}) {
    return
  }
}
