// Convolutions by cuBLASLt.
#ifndef PARTITA_LIB_RUNTIME_CUDA_CONVOLUTION_H
#define PARTITA_LIB_RUNTIME_CUDA_CONVOLUTION_H

#include "Device.h"

namespace partita::runtime::cuda {

/// Whether the convolution of these words is products of patches: types that
/// cuBLASLt takes, one batch group, few feature groups.
bool hasConvolution(const int64_t *words);

/// Enqueues it on the compute stream.
std::string enqueueConvolution(Device &device, const int64_t *words,
                               void *const *buffers);

} // namespace partita::runtime::cuda

#endif
