// Kernels for runtime calls that have a form for GPUs: gather, scatter,
// reduce_window.
#ifndef PARTITA_TARGET_GPU_INDEXKERNELS_H
#define PARTITA_TARGET_GPU_INDEXKERNELS_H

#include "KernelEmitter.h"
#include "dialects/SPMD/SPMD.h"

namespace partita {

/// Whether `call` can be kernels; others are calls of the runtime.
bool hasKernel(spmd::RuntimeCallOp call);

/// Emits them beside `call`, which hasKernel. `start` makes a kernel.
void emitIndexKernel(spmd::RuntimeCallOp call,
                     llvm::function_ref<KernelBuilder(llvm::StringRef)> start);

} // namespace partita

#endif
