// The functions of ABI.h for programs whose buffers are on a GPU.
#ifndef PARTITA_LIB_RUNTIME_CUDA_ENTRIES_H
#define PARTITA_LIB_RUNTIME_CUDA_ENTRIES_H

#include "Device.h"

namespace partita::runtime::cuda {

using EntryFunction = void (*)(partita_context *, const int64_t *,
                               void *const *);

/// Runs a kernel or collective of the CPU's runtime on copies of the buffers,
/// after what is enqueued on the device; the outputs are copied back. `name` is
/// for errors; null: looked up.
void runOnHost(partita_context *context, EntryFunction function,
               const char *name, const int64_t *words, void *const *buffers);

/// The same as an entry: a kernel that has no form for GPUs.
template <EntryFunction function>
void runKernelOnHost(partita_context *context, const int64_t *words,
                     void *const *buffers) {
  runOnHost(context, function, nullptr, words, buffers);
}

#define PARTITA_CUDA_ENTRY(name)                                               \
  void cuda_##name(partita_context *context, const int64_t *words,             \
                   void *const *buffers)

PARTITA_CUDA_ENTRY(dot_general);
PARTITA_CUDA_ENTRY(convolution);
PARTITA_CUDA_ENTRY(axis_index);
PARTITA_CUDA_ENTRY(all_reduce);
PARTITA_CUDA_ENTRY(all_gather);
PARTITA_CUDA_ENTRY(reduce_scatter);
PARTITA_CUDA_ENTRY(all_to_all);
PARTITA_CUDA_ENTRY(permute);
PARTITA_CUDA_ENTRY(broadcast);
PARTITA_CUDA_ENTRY(exchange);
PARTITA_CUDA_ENTRY(ragged_all_to_all);

void cuda_start(partita_context *context, EntryFunction function,
                const int64_t *words, void *const *buffers);
void cuda_done(partita_context *context, int64_t opId);

} // namespace partita::runtime::cuda

#endif
