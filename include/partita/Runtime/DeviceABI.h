// What a program whose buffers are in the memory of a GPU calls besides the
// kernels and collectives of ABI.h. No MLIR, no LLVM.
//
// All work of a device goes to one compute stream, in program order;
// collectives run on a second stream, ordered by events at partita_start and
// partita_done. Pointers are device memory except where noted. partita_fail
// ends a run on any CUDA error.
#ifndef PARTITA_RUNTIME_DEVICEABI_H
#define PARTITA_RUNTIME_DEVICEABI_H

#include "partita/Runtime/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Enqueues the kernel called `name` (of the program's cubin). `sizes` (host):
/// grid x, y, z, block x, y, z. `arguments` (host): a pointer to each
/// argument's value.
void partita_launch(partita_context *context, const char *name,
                    const int64_t *sizes, void *const *arguments);

/// Enqueues a copy inside the device.
void partita_copy(partita_context *context, void *target, const void *source,
                  int64_t bytes);

/// Waits for the work enqueued so far and copies `bytes` to `target` on the
/// host.
void partita_read(partita_context *context, void *target, const void *source,
                  int64_t bytes);

/// Enqueues a copy of `bytes` at `source` on the host, which may change
/// afterwards.
void partita_write(partita_context *context, void *target, const void *source,
                   int64_t bytes);

/// The device's copy of the constant `number` of the program, made at its first
/// use from `bytes` at `source` on the host.
const void *partita_constant(partita_context *context, int64_t number,
                             const void *source, int64_t bytes);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
