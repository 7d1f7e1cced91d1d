// The flat C interface between compiled programs and the runtime, the same on CPU
// and GPU. No MLIR, no LLVM.
//
// Every kernel and collective is a function
//
//   void partita_NAME(partita_context *context, const int64_t *descriptor,
//                     void *const *buffers);
//
// `buffers` holds the inputs, then the outputs, dense and row major, then, for a
// kernel with a body, the body's function (partita_body). `descriptor` is
//
//   [0] op id, unique per call site of the program
//   [1] number of words
//   [2] number of inputs, [3] number of outputs
//   then for each buffer: dtype, rank, sizes...
//   then the words that the function documents below; a *list* is its length
//   followed by its items.
//
// Inputs and outputs do not overlap. Errors end the run of every device; see
// partita_fail.
#ifndef PARTITA_RUNTIME_ABI_H
#define PARTITA_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One device of one run; the first argument of every function.
typedef struct partita_context partita_context;

/// A body on scalars: each argument and result points to one element.
typedef void (*partita_body)(void *const *arguments, void *const *results);

/// Element types. Signed and unsigned integers differ; i1 is a byte, 0 or 1.
typedef enum partita_dtype {
  PARTITA_F64 = 0,
  PARTITA_F32 = 1,
  PARTITA_BF16 = 2,
  PARTITA_F16 = 3,
  PARTITA_I1 = 4,
  PARTITA_I8 = 5,
  PARTITA_I16 = 6,
  PARTITA_I32 = 7,
  PARTITA_I64 = 8,
  PARTITA_UI8 = 9,
  PARTITA_UI16 = 10,
  PARTITA_UI32 = 11,
  PARTITA_UI64 = 12,
  PARTITA_C64 = 13,  ///< complex of two f32
  PARTITA_C128 = 14, ///< complex of two f64
} partita_dtype;

/// How values combine. BODY: by the body in the last buffer; SET: the update
/// replaces.
typedef enum partita_reduction {
  PARTITA_ADD = 0,
  PARTITA_MUL = 1,
  PARTITA_MAX = 2, ///< NaN wins
  PARTITA_MIN = 3, ///< NaN wins
  PARTITA_AND = 4,
  PARTITA_OR = 5,
  PARTITA_XOR = 6,
  PARTITA_SET = 7,
  PARTITA_BODY = 8,
} partita_reduction;

/// Functions of partita_elementwise, on one or two inputs of the output's type.
/// On complex numbers the word is one of partita/Support/ComplexFunctions.h.
typedef enum partita_function {
  PARTITA_ERF_INV = 0,
  PARTITA_LGAMMA = 1,
  PARTITA_DIGAMMA = 2,
  PARTITA_BESSEL_I1E = 3,
  PARTITA_POLYGAMMA = 4, ///< order, argument
  PARTITA_ZETA = 5,      ///< x, q
  PARTITA_NEXT_AFTER = 6,
  PARTITA_POWER = 7,
} partita_function;

#define PARTITA_FUNCTION(name)                                                 \
  void name(partita_context *context, const int64_t *descriptor,              \
            void *const *buffers)

//===--- Kernels ------------------------------------------------------------===//

/// Words: list lhs_batching, list rhs_batching, list lhs_contracting, list
/// rhs_contracting. Accumulates bf16 and f16 in f32, then rounds once.
PARTITA_FUNCTION(partita_dot_general);
/// Words: list lhs_batching, list rhs_batching, list lhs_contracting, list
/// rhs_contracting, ragged dimension of lhs, group dimension of rhs (-1: none).
/// Inputs: lhs, rhs, group sizes.
PARTITA_FUNCTION(partita_ragged_dot);
/// Words: dimension, is_stable. n inputs, n outputs; the body takes a0, b0, a1,
/// b1, ... and gives an i1.
PARTITA_FUNCTION(partita_sort);
/// Words: list offset_dims, list collapsed_slice_dims, list
/// operand_batching_dims, list start_indices_batching_dims, list
/// start_index_map, index_vector_dim, list slice_sizes. Inputs: operand,
/// start_indices.
PARTITA_FUNCTION(partita_gather);
/// Words: list update_window_dims, list inserted_window_dims, list
/// input_batching_dims, list scatter_indices_batching_dims, list
/// scatter_dims_to_operand_dims, index_vector_dim, reduction. Inputs: n
/// operands, indices, n updates; the body takes n operands, n updates.
PARTITA_FUNCTION(partita_scatter);
/// Words: list window, list strides, list base_dilations, list window_dilations,
/// list padding (low, high by turns), reduction. Inputs: n operands, n initial
/// values; the body takes n accumulators, n elements.
PARTITA_FUNCTION(partita_reduce_window);
/// Words: list window, list strides, list padding. Inputs: operand, source,
/// initial value. Buffers end with two bodies: select (a, b -> i1), scatter
/// (a, b -> c).
PARTITA_FUNCTION(partita_select_and_scatter);
/// Words: input batch, feature, list spatial; kernel input feature, output
/// feature, list spatial; output batch, feature, list spatial; list strides, list
/// padding, list lhs_dilation, list rhs_dilation, list reversal,
/// feature_group_count, batch_group_count.
PARTITA_FUNCTION(partita_convolution);
/// Words: algorithm (0 default, 1 three_fry, 2 philox). Input: state; outputs:
/// new state, bits.
PARTITA_FUNCTION(partita_rng_bit_generator);
/// Words: distribution (0 uniform, 1 normal). Inputs: the bounds, or mean and
/// deviation, of the output's type. One fixed sequence, the same in every call.
PARTITA_FUNCTION(partita_rng);
/// Words: kind (0 fft, 1 ifft, 2 rfft, 3 irfft), list lengths.
PARTITA_FUNCTION(partita_fft);
/// Words: is_lower.
PARTITA_FUNCTION(partita_cholesky);
/// Words: left_side, lower, unit_diagonal, transpose (0 none, 1 transpose, 2
/// adjoint). Inputs: a, b.
PARTITA_FUNCTION(partita_triangular_solve);
/// Words: routine of partita/Support/Lapack.h, its options as one number. Inputs
/// and outputs: as the routine's, with equal batch dimensions in front.
PARTITA_FUNCTION(partita_lapack);
/// Words: list of the letters of a custom call's target. There is no such
/// routine: the run ends with an error that names it.
PARTITA_FUNCTION(partita_unknown_call);
/// Words: k. Outputs: values, indices (i32), largest first, ties by index.
PARTITA_FUNCTION(partita_top_k);
/// Words: partita_function.
PARTITA_FUNCTION(partita_elementwise);

//===--- Collectives --------------------------------------------------------===//
//
// All begin with the groups: group count, group size, members (device ids) row by
// row. A device outside every group leaves its output as it is, except where
// noted. Reduction order is that of the members; reruns are bit-equal. All but
// exchange and ragged_all_to_all take n inputs and n outputs in one call; a BODY
// reduction then takes n accumulators, n elements. bf16 and f16 are reduced in f32
// and rounded once. On arrival the whole descriptor is compared with that of the
// other members. permute and exchange wait only for devices to which the pairs or
// boxes link this one, directly or through others.

/// Words: groups, reduction.
PARTITA_FUNCTION(partita_all_reduce);
/// Words: groups. Output: [group size, input...], members in order.
PARTITA_FUNCTION(partita_all_gather);
/// Words: groups, reduction. Input: [group size, output...]; member i gets part i.
PARTITA_FUNCTION(partita_reduce_scatter);
/// Words: groups. Input and output: [group size, part...]; part i goes to member i.
PARTITA_FUNCTION(partita_all_to_all);
/// Words: list pairs (source device, target device by turns). A device to which
/// nothing is sent gets zeros.
PARTITA_FUNCTION(partita_permute);
/// Words: groups, root (index in the group).
PARTITA_FUNCTION(partita_broadcast);
/// Words: number of boxes; for each: source device, target device, then per
/// dimension source offset, target offset, size. Boxes with source = target are
/// local copies. What no box covers is zero.
PARTITA_FUNCTION(partita_exchange);
/// Words: groups. Inputs: operand, output, input_offsets, send_sizes,
/// output_offsets, recv_sizes (i32 or i64).
PARTITA_FUNCTION(partita_ragged_all_to_all);
/// Words: list of device -> index over the axes, one per device; an empty list is
/// the device id itself. Output: i32.
PARTITA_FUNCTION(partita_axis_index);

/// Starts the collective `function` with these arguments and returns; the buffers
/// and the descriptor stay in use until partita_done on the same op id (the array
/// `buffers` itself does not). Started calls run one after the other, in order; the
/// same op id may be started again, and each done waits for the earliest start that
/// no done has waited for.
void partita_start(partita_context *context,
                   void (*function)(partita_context *, const int64_t *, void *const *),
                   const int64_t *descriptor, void *const *buffers);
void partita_done(partita_context *context, int64_t op_id);

//===--- Contexts -----------------------------------------------------------===//

/// Ends the run of all devices with `message`; does not return to the program of
/// this device (its thread leaves by longjmp, so that no frame of the program may
/// need clean-up; bodies must not call it).
void partita_fail(partita_context *context, const char *message);

/// The device's memory, 64-byte aligned and zero at the start, and its size; null
/// and 0 where the world was made without.
void *partita_arena(partita_context *context);
int64_t partita_arena_bytes(partita_context *context);
/// From 0 to the number of devices - 1.
int64_t partita_device_id(partita_context *context);
int64_t partita_device_count(partita_context *context);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
