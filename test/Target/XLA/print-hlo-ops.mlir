// The forms of ops, on the programs that XLA judges in test/Integration.
// RUN: partita-translate --spmd-to-hlo %S/../../Integration/Inputs/control.mlir | FileCheck %s --check-prefix=CONTROL
// RUN: partita-translate --spmd-to-hlo %S/../../Integration/Inputs/contraction.mlir | FileCheck %s --check-prefix=CONTRACT
// RUN: partita-translate --spmd-to-hlo %S/../../Integration/Inputs/movement.mlir | FileCheck %s --check-prefix=MOVE
// RUN: partita-translate --spmd-to-hlo %S/../../Integration/Inputs/algebra.mlir | FileCheck %s --check-prefix=ALGEBRA
// RUN: partita-translate --spmd-to-hlo %s | FileCheck %s

// Regions get what they use from outside in their tuple; constants are written again.
// CONTROL: condition {
// CONTROL-NEXT: arg.0 = (s32[], f32[4], s32[], f32[4]) parameter(0)
// CONTROL-NEXT: [[I:[a-z0-9.-]+]] = s32[] get-tuple-element(arg.0), index=0
// CONTROL-NEXT: [[N:[a-z0-9.-]+]] = s32[] get-tuple-element(arg.0), index=2
// CONTROL-NEXT: ROOT {{.*}} = pred[] compare([[I]], [[N]]), direction=LT
// CONTROL: body {
// CONTROL: s32[] constant(1)
// CONTROL: ROOT {{.*}} = (s32[], f32[4], s32[], f32[4]) tuple(
// CONTROL: double {
// CONTROL: branch.2 {
// CONTROL: call({{.*}}), to_apply=double
// CONTROL: ENTRY main {
// CONTROL: while({{.*}}), condition=condition, body=body
// CONTROL: = f32[4] conditional(arg.1, [[T:[a-z0-9.-]+]], [[T]], [[T]]), branch_computations={branch, branch.1, branch.2}
// CONTROL: = (f32[4], f32[]) conditional(arg.2, {{.*}}), true_computation=branch.3, false_computation=branch.4

// CONTRACT: ROOT {{.*}} = (f32[], s32[]) tuple(
// CONTRACT: dot(arg.0, arg.1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,default}
// CONTRACT: dot(arg.2, arg.3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// CONTRACT: convolution(arg.4, arg.5), window={size=3x2 stride=2x1 pad=1_1x-1_1 rhs_dilate=1x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2
// CONTRACT: (f32[4], s32[4]) reduce({{.*}}), dimensions={1}, to_apply=combine
// CONTRACT: reduce-window({{.*}}), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_0x1_0x0_0}, to_apply=combine.1
// CONTRACT: select-and-scatter({{.*}}), window={{.*}}, select=select, scatter=combine.1
// CONTRACT: (f32[4,8], s32[4,8]) sort(arg.2, {{.*}}), dimensions={1}, is_stable=true, to_apply=compare
// CONTRACT: map(arg.2, {{.*}}), dimensions={0,1}, to_apply=map

// MOVE: pad(arg.0, {{.*}}), padding=1_2_2x2_-2_1
// MOVE: slice(arg.0), slice={[0:4:2], [1:6:3]}
// MOVE: gather(arg.0, arg.3), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}
// MOVE: scatter(arg.0, arg.3, arg.4), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=update
// A dimension of size 1 that grows is dropped first.
// MOVE: [[R:reshape.[0-9]+]] = f32[4] reshape(
// MOVE: f32[4,2] broadcast([[R]]), dimensions={0}
// MOVE: (f32[4,2], f32[]) opt-barrier(

// ALGEBRA: cholesky({{.*}}), lower=true
// ALGEBRA: triangular-solve({{.*}}), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE
// ALGEBRA: c64[4,5] fft(arg.2), fft_type=RFFT, fft_length={8}
// ALGEBRA: (u64[2], u32[6]) rng-bit-generator({{.*}}), algorithm=rng_three_fry

func.func @main(%f: tensor<5x4xf32> {spmd.global_type = tensor<5x4xf32>}, %g: tensor<4xf32>, %c: tensor<1x6x6xf32>, %x: tensor<8x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<i32>, tensor<1x6x6xf32>, tensor<2x16xf32>) {
  // CHECK: (f32[5,4], f32[4], f32[4]) batch-norm-training(arg.0, arg.1, arg.1), epsilon=0.00{{[0-9]+}}, feature_index=1
  %0:3 = "stablehlo.batch_norm_training"(%f, %g, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: batch-norm-inference(
  %1 = "stablehlo.batch_norm_inference"(%f, %g, %g, %0#1, %0#2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  // CHECK: s32[] get-dimension-size(arg.0), dimensions={1}
  %2 = stablehlo.get_dimension_size %f, dim = 1 : (tensor<5x4xf32>) -> tensor<i32>
  // CHECK: (f32[1,6,6]{1,2,0}, s32[1]{0}) custom-call(arg.2), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[1,6,6]{1,2,0}}, output_to_operand_aliasing={{[{][{]}}0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config="{uplo = 76 : ui8}"
  // CHECK: f32[1,6,6]{1,2,0} get-tuple-element({{.*}}), index=0
  %3:2 = stablehlo.custom_call @lapack_spotrf_ffi(%c) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<1x6x6xf32>) -> (tensor<1x6x6xf32>, tensor<1xi32>)
  // Blocks along another dimension than the one that is split.
  // CHECK: [[A:[a-z0-9.-]+]] = f32[8,4] all-to-all(arg.3), channel_id=1, replica_groups={{[{][{]}}0,1,2,3}}, dimensions={0}
  // CHECK: [[B:[a-z0-9.-]+]] = f32[4,2,4] reshape([[A]])
  // CHECK: [[C:[a-z0-9.-]+]] = f32[2,4,4] transpose([[B]]), dimensions={1,0,2}
  // CHECK: f32[2,16] reshape([[C]])
  %4 = "stablehlo.all_to_all"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x4xf32>) -> tensor<2x16xf32>
  return %0#0, %1, %2, %3#0, %4 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<i32>, tensor<1x6x6xf32>, tensor<2x16xf32>
}
