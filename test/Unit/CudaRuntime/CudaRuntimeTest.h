// Calls of the runtime's functions on the CPU and on GPUs, to be compared.
#ifndef PARTITA_TEST_UNIT_CUDARUNTIME_H
#define PARTITA_TEST_UNIT_CUDARUNTIME_H

#include "../Runtime/RuntimeTest.h"
#include "partita/Runtime/CUDA.h"
#include "partita/Runtime/DeviceABI.h"
#include <functional>

namespace partita::runtime::testing {

using Buffer = std::vector<char>;
/// buffers[device][argument].
using Buffers = std::vector<std::vector<Buffer>>;

/// The program of all devices: context and the pointers of arguments and
/// results.
using Program = std::function<void(partita_context *, void **)>;

/// The GPU's function of this name.
Function getGPUFunction(const std::string &name);

/// Runs on the fake GPUs; the error or "".
std::string runOnGPU(GPUOptions options, const Buffers &inputs,
                     Buffers &outputs, const Program &program);

/// Runs one call of `name` on both; expects equal bytes. `extra` follows the
/// buffers.
void expectSame(const std::string &name, Call call, GPUOptions options,
                const Buffers &inputs, Buffers outputs, void *extra = nullptr);

/// Bytes that differ by device and place, small enough for sums to be exact.
Buffer makeBytes(partita_dtype dtype, int64_t count, int64_t device);

int64_t getBytes(partita_dtype dtype);

} // namespace partita::runtime::testing

#endif
