// RUN: partita-opt %s --spmd-rewrite-movement | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"y"=3/"y"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --compare=exact
// RUN: partita-run %s --partita=uneven-io=pad --engine=jit --compare=unsharded

spmd.mesh @m = <["x"=2, "y"=3]>
#xy = #spmd.sharding<@m, [{"x"}, {"y"}]>
#none = #spmd.sharding<@m, [{}, {}]>
#scalar = #spmd.sharding<@m, []>

// CHECK-LABEL: func.func @main
// CHECK-NOT: call
// CHECK-NOT: stablehlo.slice
// What a slice takes off what a pad put on is not moved at all.
// CHECK-DAG: %[[UP:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [1, 0], high = [-1, 0], interior = [0, 0]
// CHECK-DAG: %[[LEFT:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, -2], high = [0, 2], interior = [0, 0]
// CHECK: stablehlo.add %[[UP]], %[[LEFT]]
// CHECK: stablehlo.add %{{.*}}, %arg0
func.func @main(%a: tensor<9x7xf32> {spmd.sharding = #xy}, %u: tensor<4x7xf32> {spmd.sharding = #xy}, %r: tensor<7xf32> {spmd.sharding = #spmd.sharding<@m, [{}]>}, %c: tensor<5x6xcomplex<f32>> {spmd.sharding = #xy}, %t: tensor<4x6xf32> {spmd.sharding = #xy}) -> (tensor<9x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<5x6xcomplex<f32>>, tensor<4x6xf32>) {
  %zero = stablehlo.constant {spmd.shardings = [#scalar]} dense<0.0> : tensor<f32>
  %0 = func.call @pad(%a, %zero) {spmd.shardings = [#none]} : (tensor<9x7xf32>, tensor<f32>) -> tensor<11x11xf32>
  %1 = stablehlo.slice %0 [0:9, 2:9] {spmd.shardings = [#xy]} : (tensor<11x11xf32>) -> tensor<9x7xf32>
  %2 = stablehlo.slice %0 [1:10, 4:11] {spmd.shardings = [#xy]} : (tensor<11x11xf32>) -> tensor<9x7xf32>
  %3 = stablehlo.slice %0 [1:10, 2:9] {spmd.shardings = [#xy]} : (tensor<11x11xf32>) -> tensor<9x7xf32>
  %4 = stablehlo.add %1, %2 {spmd.shardings = [#xy]} : tensor<9x7xf32>
  %5 = stablehlo.add %4, %3 {spmd.shardings = [#xy]} : tensor<9x7xf32>

  // Rows 3 to 6 are written, row 8 is added to.
  // CHECK-NOT: stablehlo.scatter
  // CHECK: %[[ROWS:.*]] = stablehlo.pad %arg1, %{{.*}}, low = [3, 0], high = [2, 0], interior = [0, 0]
  // CHECK: stablehlo.select %{{.*}}, %[[ROWS]], %arg0
  // CHECK: %[[ROW:.*]] = stablehlo.reshape %arg2
  // CHECK: %[[LAST:.*]] = stablehlo.pad %[[ROW]], %{{.*}}, low = [8, 0], high = [0, 0], interior = [0, 0]
  // CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %[[LAST]]
  // CHECK: stablehlo.select %{{.*}}, %[[SUM]], %arg0
  %i3 = stablehlo.constant {spmd.shardings = [#spmd.sharding<@m, [{}]>]} dense<3> : tensor<1xi32>
  %6 = "stablehlo.scatter"(%a, %i3, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) {spmd.shardings = [#xy]} : (tensor<9x7xf32>, tensor<1xi32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %i8 = stablehlo.constant {spmd.shardings = [#spmd.sharding<@m, [{}]>]} dense<8> : tensor<1xi32>
  %7 = "stablehlo.scatter"(%a, %i8, %r) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %s = stablehlo.add %old, %new : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {spmd.shardings = [#xy]} : (tensor<9x7xf32>, tensor<1xi32>, tensor<7xf32>) -> tensor<9x7xf32>

  // Each dimension is transformed where it is the last: a real one first
  // forwards.
  // CHECK: %[[F0:.*]] = stablehlo.fft %arg3, type = FFT, length = [6]
  // CHECK: %[[T0:.*]] = stablehlo.transpose %[[F0]], dims = [1, 0]
  // CHECK: %[[F1:.*]] = stablehlo.fft %[[T0]], type = FFT, length = [5]
  // CHECK: stablehlo.transpose %[[F1]], dims = [1, 0] {spmd.shardings = [#spmd.sharding<@m, [{"x"}, {"y"}]>]} : (tensor<6x5xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  %8 = stablehlo.fft %c, type = FFT, length = [5, 6] {spmd.shardings = [#xy]} : (tensor<5x6xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  // CHECK: stablehlo.fft %arg4, type = RFFT, length = [6]
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4]
  %9 = stablehlo.fft %t, type = RFFT, length = [4, 6] {spmd.shardings = [#xy]} : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [4]
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [6]
  %10 = stablehlo.fft %9, type = IRFFT, length = [4, 6] {spmd.shardings = [#xy]} : (tensor<4x4xcomplex<f32>>) -> tensor<4x6xf32>
  return %5, %6, %7, %8, %10 : tensor<9x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<5x6xcomplex<f32>>, tensor<4x6xf32>
}
func.func private @pad(%a: tensor<9x7xf32> {spmd.sharding = #xy}, %z: tensor<f32> {spmd.sharding = #scalar}) -> (tensor<11x11xf32> {spmd.sharding = #none}) {
  %0 = stablehlo.pad %a, %z, low = [1, 2], high = [1, 2], interior = [0, 0] {spmd.shardings = [#none]} : (tensor<9x7xf32>, tensor<f32>) -> tensor<11x11xf32>
  return %0 : tensor<11x11xf32>
}

// What is whole on each device stays as it is, and so do places that are not
// known or not inside.
// CHECK-LABEL: func.func @unchanged
// CHECK: stablehlo.pad
// CHECK: stablehlo.slice
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [5, 6]
// CHECK: stablehlo.scatter
// CHECK: stablehlo.scatter
func.func @unchanged(%a: tensor<9x7xf32> {spmd.sharding = #none}, %b: tensor<9x7xf32> {spmd.sharding = #xy}, %u: tensor<4x7xf32> {spmd.sharding = #xy}, %c: tensor<5x6xcomplex<f32>> {spmd.sharding = #none}, %i: tensor<1xi32> {spmd.sharding = #spmd.sharding<@m, [{}]>}) -> (tensor<9x7xf32>, tensor<5x6xcomplex<f32>>, tensor<9x7xf32>, tensor<9x7xf32>) {
  %zero = stablehlo.constant {spmd.shardings = [#scalar]} dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [1, 2], high = [1, 2], interior = [0, 0] {spmd.shardings = [#none]} : (tensor<9x7xf32>, tensor<f32>) -> tensor<11x11xf32>
  %1 = stablehlo.slice %0 [0:9, 2:9] {spmd.shardings = [#none]} : (tensor<11x11xf32>) -> tensor<9x7xf32>
  %2 = stablehlo.fft %c, type = FFT, length = [5, 6] {spmd.shardings = [#none]} : (tensor<5x6xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  %3 = "stablehlo.scatter"(%b, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) {spmd.shardings = [#xy]} : (tensor<9x7xf32>, tensor<1xi32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %i6 = stablehlo.constant {spmd.shardings = [#spmd.sharding<@m, [{}]>]} dense<6> : tensor<1xi32>
  %4 = "stablehlo.scatter"(%b, %i6, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) {spmd.shardings = [#xy]} : (tensor<9x7xf32>, tensor<1xi32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  return %1, %2, %3, %4 : tensor<9x7xf32>, tensor<5x6xcomplex<f32>>, tensor<9x7xf32>, tensor<9x7xf32>
}
