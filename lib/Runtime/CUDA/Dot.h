// Products by cuBLASLt.
#ifndef PARTITA_LIB_RUNTIME_CUDA_DOT_H
#define PARTITA_LIB_RUNTIME_CUDA_DOT_H

#include "Device.h"

namespace partita::runtime::cuda {

/// One operand: where its matrix of rows (dimensions that it keeps) and depth
/// (dimensions that are summed) begins, and its strides in elements.
struct DotOperand {
  int64_t rows = 1, rowStride = 1, depthStride = 1;
  Shape batchStrides;
  /// Where the operand must be copied first to have such a matrix: the copy's
  /// order of dimensions; else empty.
  Shape packing, shape;
};

struct DotPlan {
  DotPlan() = default;
  DotPlan(const DotPlan &) = delete;
  ~DotPlan();

  BufferType types[3]; ///< left, right, output
  DotOperand operands[2];
  Shape batch; ///< merged batch dimensions, outermost first
  int64_t depth = 1;
  /// The dimension of `batch` that one call takes; -1: none.
  int64_t strided = -1;

  MatmulDesc desc = nullptr;
  MatrixLayout layouts[3] = {}; ///< right, left, output: column major
  MatmulAlgo algo = {};
  size_t workspaceBytes = 0;
  int64_t alignment = 0; ///< of all pointers that `algo` was chosen for
};

/// Whether cuBLASLt multiplies these types.
bool hasDot(const Descriptor &descriptor);

/// Enqueues the dot_general of the descriptor on the compute stream.
std::string enqueueDot(Device &device, const int64_t *words,
                       void *const *buffers);

} // namespace partita::runtime::cuda

#endif
