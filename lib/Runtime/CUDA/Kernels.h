// Kernels of the runtime itself, as PTX text made when they are first used:
// strided copies and the reductions of collectives. The driver compiles them.
#ifndef PARTITA_LIB_RUNTIME_CUDA_KERNELS_H
#define PARTITA_LIB_RUNTIME_CUDA_KERNELS_H

#include "Device.h"

namespace partita::runtime::cuda {

/// PTX of `partita_copy_BYTES` and `partita_reduce_KIND_DTYPE`; exposed for
/// tests.
std::string makeCopyText(const std::string &name);
std::string makeReductionText(const std::string &name);
std::string getReductionName(partita_reduction kind, partita_dtype dtype);

/// Arrays that one reduction may fold at most.
inline constexpr size_t kMaxFolded = 64;

/// Whether there is a kernel that folds values of this type so.
bool hasReduction(partita_reduction kind, partita_dtype dtype);

/// outputs[*][i] = inputs[0][i] op inputs[1][i] ... for i in [0, count); as
/// reduceArrays on the CPU.
std::string enqueueReduction(Device &device, Stream stream, partita_dtype dtype,
                             partita_reduction kind,
                             const std::vector<DevicePointer> &inputs,
                             const std::vector<DevicePointer> &outputs,
                             int64_t count);

/// Copies a box of elements of `bytes` bytes; strides in elements.
std::string enqueueStridedCopy(Device &device, Stream stream, DevicePointer to,
                               const Shape &toStrides, DevicePointer from,
                               const Shape &fromStrides, const Shape &sizes,
                               int64_t bytes);

} // namespace partita::runtime::cuda

#endif
