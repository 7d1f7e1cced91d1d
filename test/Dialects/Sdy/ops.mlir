// Every op is read, and printed to a fixed point in pretty form, in generic form
// and with locations.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | FileCheck %s --check-prefix=FORM
// RUN: partita-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: partita-opt %s > %t.pretty
// RUN: partita-opt %t.pretty | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | diff %t.pretty -
// RUN: partita-opt %s --mlir-print-debuginfo > %t.loc
// RUN: partita-opt %t.loc --mlir-print-debuginfo | diff %t.loc -
// RUN: partita-opt %s --verify-roundtrip > /dev/null

sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>

// CHECK-LABEL: func.func @annotations
func.func @annotations(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[C:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  // GENERIC: "sdy.sharding_constraint"(%{{.*}}) <{sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}>
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  // CHECK: %[[R:.*]] = sdy.reshard %[[C]] <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %[[R]] group_id=21 : tensor<8x8xf32>
  // GENERIC: "sdy.sharding_group"(%{{.*}}) <{group_id = 21 : i64}>
  sdy.sharding_group %1 group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %[[R]] allowed_direction=FORWARD : tensor<8x8xf32>
  // GENERIC: "sdy.propagation_barrier"(%{{.*}}) <{allowed_direction = 1 : i32}>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=NONE : tensor<8x8xf32>
  %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> tensor<8x16xf32> {
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
  %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
  // CHECK: sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<2.000000e+00> : tensor<8x16xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<2.0> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @manual
// GENERIC: "sdy.manual_computation"(%{{.*}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"x", ?}]>]>}> ({
func.func @manual(%arg0: tensor<16x32xf32>) -> tensor<16x128xf32> {
  // FORM: %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4x32xf32>) {
  // FORM-NEXT: %1 = func.call @local(%arg1) : (tensor<4x32xf32>) -> tensor<16x32xf32>
  // FORM-NEXT: sdy.return %1 : tensor<16x32xf32>
  // FORM-NEXT: } : (tensor<16x32xf32>) -> tensor<16x128xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4x32xf32>) {
    %1 = func.call @local(%arg1) : (tensor<4x32xf32>) -> tensor<16x32xf32>
    sdy.return %1 : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
func.func private @local(tensor<4x32xf32>) -> tensor<16x32xf32>

// No values, no axes; a body without a terminator gets one.
// FORM-LABEL: func.func @manual_empty
func.func @manual_empty() {
  // FORM: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  // FORM-NEXT: sdy.return
  // FORM-NEXT: } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  } : () -> ()
  // FORM: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x", "y"} () {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x", "y"} () {
    sdy.return
  } {note = "kept"} : () -> ()
  return
}

// Regions nest, with other axes; dynamic sizes stay dynamic; several values.
// CHECK-LABEL: func.func @manual_nested
func.func @manual_nested(%arg0: tensor<16x?xf32>) -> (tensor<16x?xf32>, tensor<16x?xf32>) {
  %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{?}, {"z"}], replicated={"x"}>] manual_axes={"x"} (%arg1: tensor<4x?xf32>) {
    // CHECK: sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<4x?xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<4x?xf32>) {
      %2 = func.call @halve(%arg2) : (tensor<4x?xf32>) -> tensor<2x?xf32>
      sdy.return %2 : tensor<2x?xf32>
    } : (tensor<4x?xf32>) -> tensor<4x?xf32>
    %3 = func.call @grow(%1) : (tensor<4x?xf32>) -> tensor<16x?xf32>
    sdy.return %1, %3 : tensor<4x?xf32>, tensor<16x?xf32>
  } : (tensor<16x?xf32>) -> (tensor<16x?xf32>, tensor<16x?xf32>)
  return %0#0, %0#1 : tensor<16x?xf32>, tensor<16x?xf32>
}
func.func private @halve(tensor<4x?xf32>) -> tensor<2x?xf32>
func.func private @grow(tensor<4x?xf32>) -> tensor<16x?xf32>

// CHECK-LABEL: func.func @named
func.func @named(%arg0: tensor<8x2xi32>, %arg1: tensor<4xi32>) -> (tensor<8x2xi32>, tensor<4xi32>) {
  // CHECK: sdy.named_computation<"foo">(%arg0) (%arg2: tensor<8x2xi32>) {
  // CHECK-NEXT: sdy.return %arg2 : tensor<8x2xi32>
  // CHECK-NEXT: } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  %0 = sdy.named_computation<"foo">(%arg0) (%arg2: tensor<8x2xi32>) {
    sdy.return %arg2 : tensor<8x2xi32>
  } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  // CHECK: sdy.named_computation<"bar">(%0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{}]>] (%arg2: tensor<8x2xi32>, %arg3: tensor<4xi32>) {
  %1:2 = sdy.named_computation<"bar">(%0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{}]>] (%arg2: tensor<8x2xi32>, %arg3: tensor<4xi32>) {
    sdy.return %arg2, %arg3 : tensor<8x2xi32>, tensor<4xi32>
  } : (tensor<8x2xi32>, tensor<4xi32>) -> (tensor<8x2xi32>, tensor<4xi32>)
  // CHECK: sdy.named_computation<"out">(%{{.*}}) out_shardings=[<@mesh, [{"x"}]>] (
  %2 = sdy.named_computation<"out">(%1#1) out_shardings=[<@mesh, [{"x"}]>] (%arg2: tensor<4xi32>) {
    sdy.return %arg2 : tensor<4xi32>
  } {mhlo.frontend_attributes = {a = "b"}} : (tensor<4xi32>) -> tensor<4xi32>
  return %1#0, %2 : tensor<8x2xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @edges
func.func @edges(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  // CHECK: sdy.data_flow_edge %arg1 : tensor<8xf32>
  %1 = sdy.data_flow_edge %arg1 : tensor<8xf32>
  %2:2 = call @edges(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: sdy.data_flow_edge %{{.*}}#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  %3 = sdy.data_flow_edge %2#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}}#1 : tensor<8xf32>
  %4 = sdy.func_data_flow_edge %2#1 : tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_gather"(%{{.*}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{}, {"x"}]>, out_sharding =
  %0 = sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.all_slice [{}, {"x":(1)2, "z"}] %0 out_sharding=<@mesh, [{"y"}, {"x":(1)2, "z"}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"x":(1)2, "z"}] %0 out_sharding=<@mesh, [{"y"}, {"x":(1)2, "z"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@mesh, [{}, {"x":(1)2, "z", "y"}]> : tensor<16x8xf32>
  // GENERIC: params = #sdy<all_to_all_param_list[{"y"}: 0->1]>
  %2 = sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@mesh, [{}, {"x":(1)2, "z", "y"}]> : tensor<16x8xf32>
  // CHECK: sdy.collective_permute %2 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_reduce {"y"} %3 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{.*}}) <{out_sharding = {{.*}}, reduction_axes = #sdy<axis_ref_list{"y"}>
  %4 = sdy.all_reduce {"y"} %3 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  // CHECK: sdy.all_reduce max {"y"} %4 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  %5 = sdy.all_reduce max {"y"} %4 out_sharding=<@mesh, [{}, {"z", "x"}]> : tensor<16x8xf32>
  // CHECK: sdy.reduce_scatter [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> : tensor<16x8xf32>
  %6 = sdy.reduce_scatter [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> : tensor<16x8xf32>
  // CHECK: sdy.reduce_scatter min [{}, {}] %6 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> : tensor<16x8xf32>
  %7 = sdy.reduce_scatter min [{}, {}] %6 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> : tensor<16x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{}, {"x"}] %7 out_sharding=<@mesh, [{"y"}, {"z"}], unreduced={"x"}> : tensor<16x8xf32>
  %8 = sdy.sharded_to_unreduced [{}, {"x"}] %7 out_sharding=<@mesh, [{"y"}, {"z"}], unreduced={"x"}> : tensor<16x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"z"} %{{.*}} out_sharding=<@mesh, [{"y"}, {}], unreduced={"x", "z"}> : tensor<16x8xf32>
  %9 = sdy.replicated_to_unreduced {"z"} %8 out_sharding=<@mesh, [{"y"}, {}], unreduced={"x", "z"}> : tensor<16x8xf32>
  return %9 : tensor<16x8xf32>
}
