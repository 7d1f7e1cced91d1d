// The table of ops that are lowered. A test runs one op of each as machine
// code.

#include "partita/Conversion/LoweredOps.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {

/// Ops of structure, shape and data movement, and reductions.
static constexpr StringLiteral kLoops[] = {
    "chlo.constant",
    "chlo.constant_like",
    "stablehlo.after_all",
    "stablehlo.async_done",
    "stablehlo.async_start",
    "stablehlo.bitcast_convert",
    "stablehlo.broadcast",
    "stablehlo.broadcast_in_dim",
    "stablehlo.case",
    "stablehlo.clamp",
    "stablehlo.concatenate",
    "stablehlo.constant",
    "stablehlo.create_token",
    "stablehlo.dynamic_slice",
    "stablehlo.dynamic_update_slice",
    "stablehlo.if",
    "stablehlo.iota",
    "stablehlo.map",
    "stablehlo.optimization_barrier",
    "stablehlo.pad",
    "stablehlo.reduce",
    "stablehlo.reshape",
    "stablehlo.return",
    "stablehlo.reverse",
    "stablehlo.select",
    "stablehlo.slice",
    "stablehlo.transpose",
    "stablehlo.while",
};

static constexpr StringLiteral kKernels[] = {
    "chlo.bessel_i1e",
    "chlo.digamma",
    "chlo.erf_inv",
    "chlo.lgamma",
    "chlo.polygamma",
    "chlo.ragged_dot",
    "chlo.top_k",
    "chlo.zeta",
    "stablehlo.cholesky",
    "stablehlo.convolution",
    "stablehlo.custom_call",
    "stablehlo.fft",
    "stablehlo.gather",
    "stablehlo.reduce_window",
    "stablehlo.rng",
    "stablehlo.rng_bit_generator",
    "stablehlo.scatter",
    "stablehlo.select_and_scatter",
    "stablehlo.sort",
    "stablehlo.triangular_solve",
};

static constexpr StringLiteral kCollectives[] = {
    "spmd.all_gather",
    "spmd.all_reduce",
    "spmd.all_slice",
    "spmd.all_to_all",
    "spmd.axis_index",
    "spmd.broadcast",
    "spmd.done",
    "spmd.exchange",
    "spmd.permute",
    "spmd.ragged_all_to_all",
    "spmd.reduce_scatter",
    "spmd.start",
    "spmd.to_unreduced",
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.partition_id",
    "stablehlo.reduce_scatter",
};

LoweredAs getLowering(RegisteredOperationName name) {
  StringRef text = name.getStringRef();
  auto isIn = [&](ArrayRef<StringLiteral> list) {
    return llvm::is_contained(list, text);
  };
  if (isIn(kKernels))
    return LoweredAs::Kernel;
  if (isIn(kCollectives))
    return LoweredAs::Collective;
  if (text == "stablehlo.dot_general" || text == "stablehlo.dot")
    return LoweredAs::Product;
  bool isElementwise = name.hasTrait<stablehlo::ElementwiseOp>() &&
                       !llvm::is_contained({"chlo._asin_acos_kernel",
                                            "stablehlo.uniform_quantize",
                                            "stablehlo.uniform_dequantize"},
                                           text);
  return isElementwise || isIn(kLoops) ? LoweredAs::Loops : LoweredAs::Nothing;
}

} // namespace partita
