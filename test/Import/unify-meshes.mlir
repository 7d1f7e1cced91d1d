// RUN: partita-opt %s --spmd-import-sdy --spmd-unify-meshes --split-input-file | FileCheck %s

// Axes of the mesh that is used less become parts and lists of the other's; parts that
// follow each other are joined, axes of size one are gone.
// CHECK-LABEL: @parts
module @parts {
  sdy.mesh @a = <["x"=4, "y"=2]>
  sdy.mesh @b = <["data"=2, "model"=4, "one"=1]>
  // CHECK: func.func @main(%arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@a, [{"x"}, {"y"}]>}
  // CHECK-SAME: -> (tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@a, [{"x":(1)2, ?}p1, {"x":(2)2, "y"}]>})
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"data", "one", ?}p1, {"model"}]>}) {
    // CHECK: spmd.constraint %arg0 <@a, [{}, {"x", "y"}]>
    %0 = sdy.sharding_constraint %arg0 <@b, [{}, {"data", "model"}]> : tensor<8x8xf32>
    // CHECK: spmd.constraint %{{.*}} <@a, [{"y"}, {}]>
    %1 = sdy.sharding_constraint %0 <@a, [{"y"}, {}]> : tensor<8x8xf32>
    // CHECK: spmd.constraint %{{.*}} <@a, [{"x":(1)2}, {}], unreduced={"x":(2)2, "y"}>
    %2 = sdy.sharding_constraint %1 <@b, [{"data"}, {}], unreduced={"model"}> : tensor<8x8xf32>
    // CHECK: spmd.constraint %{{.*}} <@a, [{"x":(2)2}, {}]>
    %3 = sdy.sharding_constraint %2 <@b, [{"model":(1)2}, {}]> : tensor<8x8xf32>
    %4 = sdy.sharding_constraint %3 <@a, [{"x", "y"}, {}]> : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}

// -----

// What counts is where devices are, not how axes are called or in which order.
// CHECK-LABEL: @order
module @order {
  sdy.mesh @a = <["data"=2, "seq"=2, "model"=2], device_ids=[0, 1, 4, 5, 2, 3, 6, 7]>
  sdy.mesh @b = <["seq"=4, "model"=2]>
  // CHECK: func.func @main(%arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@a, [{"seq", "data"}, {"model"}]>}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"seq"}, {"model"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}, {"seq"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}, {}]>}) {
    return %arg0 : tensor<8x8xf32>
  }
}

// -----

// A region needs whole axes: its mesh stays where they would be parts.
// CHECK-LABEL: @regions
module @regions {
  sdy.mesh @a = <["x"=8]>
  sdy.mesh @b = <["p"=2, "q"=4]>
  // CHECK: func.func @main(%arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@b, [{"p", "q"}, {}]>}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{}, {"x"}]>}) -> tensor<8x8xf32> {
    // CHECK: spmd.manual (%arg0) in_shardings=[<@b, [{"p"}, {}]>] out_shardings=[<@b, [{"p"}, {}]>] manual_axes={"p"}
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@b, [{"p"}, {}]>] out_shardings=[<@b, [{"p"}, {}]>] manual_axes={"p"} (%b: tensor<4x8xf32>) {
      sdy.return %b : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: spmd.manual (%{{.*}}) in_shardings=[<@b, [{"p", "q"}, {}]>] out_shardings=[<@b, [{"p", "q"}, {}]>] manual_axes={"p", "q"}
    %1 = sdy.manual_computation(%0) in_shardings=[<@a, [{"x"}, {}]>] out_shardings=[<@a, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<1x8xf32>) {
      sdy.return %b : tensor<1x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

// -----

// Neither is a list of the other's axes, nor of all its devices.
// CHECK-LABEL: @unlike
module @unlike {
  sdy.mesh @a = <["x"=2, "y"=3]>
  sdy.mesh @b = <["p"=3, "q"=2]>
  sdy.mesh @c = <["r"=4]>
  // CHECK: #spmd.sharding<@a, [{"x"}, {}]>
  // CHECK: #spmd.sharding<@b, [{"p"}, {}]>
  // CHECK: #spmd.sharding<@c, [{"r"}, {}]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}, %arg1: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@b, [{"p"}, {}]>}, %arg2: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@c, [{"r"}, {}]>}) {
    return
  }
}

// -----

// A function exported for one device: whole there is whole on each device.
// CHECK-LABEL: @exported
module @exported {
  sdy.mesh @mesh = <["x"=8]>
  sdy.mesh @one = <["a"=1, "b"=1]>
  // CHECK: func.func @main(%arg0: tensor<8x8xf32> {spmd.sharding = #spmd.sharding<@mesh, [{"x"}, {}]>}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    // CHECK: spmd.constraint %arg0 <@mesh, [{}, {}]>
    %0 = sdy.sharding_constraint %arg0 <@one, [{"a"}, {"b"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
