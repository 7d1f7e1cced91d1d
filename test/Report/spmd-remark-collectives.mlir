// A remark for each collective: what it costs, why it exists, how to be rid of it.
// RUN: partita-opt %s --split-input-file --partita-to=optimized --remarks-filter=plan -o %t.mlir 2>&1 | FileCheck %s
// RUN: partita-opt %s --split-input-file --partita-to=optimized --remarks-filter=plan --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// The marks of the trace are gone, and what remarks do changes no program.
// RUN: partita-opt %s --split-input-file --partita-to=optimized --remarks-filter=plan --mlir-print-debuginfo 2>/dev/null -o %t.debug.mlir
// RUN: not grep 'trace\.' %t.debug.mlir
// RUN: partita-opt %s --split-input-file --partita-to=optimized | diff - %t.mlir
// Nobody listens: nothing is recorded.
// RUN: partita-opt %s --split-input-file --partita-to=optimized --remarks-filter=other --mlir-print-ir-after=spmd-place-reshards --mlir-print-debuginfo -o /dev/null > %t.unmarked.mlir 2>&1
// RUN: FileCheck %s --check-prefix=UNMARKED < %t.unmarked.mlir
// UNMARKED-NOT: trace.
// UNMARKED: spmd.reshard
// UNMARKED-NOT: trace.

// Partial sums go to where a free result is cheapest.
// CHECK: remark: [Analysis] Propagation | Category:plan | Remark="[[#]] values are sharded, after [[#]] steps"
// CHECK: [[#@LINE+12]]:5: remark: [Analysis] Collective | Category:plan | Bytes=64
// CHECK-SAME: Reason="%2 goes from [{"data"}, {}] partial {"model"} to [{"data", "model"}, {}] for result 0 of @main
// CHECK-SAME: it is partial over {"model"}: %2 = stablehlo.dot_general {{.*}} sums dimension 1 of operand 0, %1, which is split because of the sharding of argument %arg1
// CHECK-SAME: which nobody asked for: placement's choice"
// CHECK-SAME: Remark="reduce_scatter over {"model"}: 64 bytes per device, 3.0 us, 1 x"
// CHECK-SAME: Suggestion="keep dimension 1 of %1 whole over {"model"}: change the sharding of argument %arg1
module @mlp attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w1: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %w2: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<16x8xf32> {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.tanh %0 : tensor<16x32xf32>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
}

// YAML: --- !Analysis
// YAML: Pass: {{ *}}plan
// YAML: Name: {{ *}}Collective
// YAML: Bytes: {{ *}}'786432'

// -----

// A user's constraint, and a result that the user sharded.
// CHECK: remark: {{.*}} Reason="%arg0 goes from [{"x"}, {}] to [{}, {}] for the user's constraint {{.*}}; dimension 0 of %arg0 is split over {"x"} because of the sharding of argument %arg0
// CHECK-SAME: Suggestion="drop the constraint, or let it ask for [{"x"}, {}]"
// CHECK: remark: {{.*}} Reason="%arg1 goes from [{"x"}, {}] to [{}, {"x"}] for result 1 of @main
// CHECK-SAME: result 1 of @main is [{}, {"x"}], as the user annotated it"
// CHECK-SAME: Suggestion="leave result 1 of @main without a sharding, or ask for [{"x"}, {}]"
module @asked attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<16x8xf32>
    return %0, %b : tensor<16x8xf32>, tensor<16x8xf32>
  }
}

// -----

// A collective that the program asks for, and an op that communicates by itself; longest first.
// CHECK: remark: {{.*}} Reason="%{{.*}} = spmd.all_reduce {{.*}}: the program asks for it"
// CHECK: remark: {{.*}} Reason="%{{.*}} = stablehlo.{{[a-z_]+}} {{.*}} communicates between its shards; dimension 0 of %arg0 is split over {"x"} because of the sharding of argument %arg0
// CHECK-SAME: Suggestion="keep dimension 0 of %arg0 whole over {"x"}"
module @own attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.slice %a [1:4096, 0:8] : (tensor<4096x8xf32>) -> tensor<4095x8xf32>
    %1 = stablehlo.pad %0, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<4095x8xf32>, tensor<f32>) -> tensor<4096x8xf32>
    %2 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%p: tensor<2xf32>) {
      %s = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %s : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<2xf32>
    return %1, %2 : tensor<4096x8xf32>, tensor<2xf32>
  }
}

// -----

// What a loop carries is told by the carry.
// CHECK: remark: {{.*}} Reason="%arg1 goes from [{"x"}, {}] to [{}, {"x"}] for %0:2 = stablehlo.while
// CHECK-SAME: %0:2 = stablehlo.while {{.*}} takes it as [{}, {"x"}], its result being [{}, {"x"}] because of
module @carry attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%n: tensor<i32>, %b: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %acc = %b) : tensor<i32>, tensor<1024x1024xf32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %p = sdy.sharding_constraint %acc <@mesh, [{}, {"x"}]> : tensor<1024x1024xf32>
        %t = stablehlo.tanh %p : tensor<1024x1024xf32>
        %k = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %k, %t : tensor<i32>, tensor<1024x1024xf32>
      }
    return %r#1 : tensor<1024x1024xf32>
  }
}
