// Kernels of ABI.h on a GPU: products and convolutions by cuBLASLt, all others
// by the CPU's kernels on copies of the buffers.
#include "Convolution.h"
#include "Dot.h"
#include "Entries.h"
#include <cstring>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

/// How many functions follow the buffers.
static size_t countBodies(EntryFunction function, const int64_t *words) {
  if (function == partita_sort)
    return 1;
  if (function == partita_select_and_scatter)
    return 2;
  bool mayHaveBody =
      function == partita_scatter || function == partita_reduce_window ||
      function == partita_all_reduce || function == partita_reduce_scatter;
  return mayHaveBody && words[words[1] - 1] == PARTITA_BODY ? 1 : 0;
}

/// Copies the buffers to the host; outputs too, since collectives may leave
/// them.
static std::string fetch(Device &device, Stream stream, EntryFunction function,
                         const int64_t *words, void *const *buffers) {
  Descriptor d(words);
  if (!d.isValid())
    return "the descriptor is malformed";
  size_t count = d.inputs.size() + d.outputs.size();
  device.hostBuffers.resize(count);
  device.hostPointers.clear();
  for (size_t i = 0; i < count; ++i) {
    const BufferType &type =
        i < d.inputs.size() ? d.inputs[i] : d.outputs[i - d.inputs.size()];
    std::vector<char> &host = device.hostBuffers[i];
    host.resize(type.getBytes());
    if (!host.empty())
      PARTITA_CUDA(cuMemcpyDtoHAsync, host.data(), toDevice(buffers[i]),
                   host.size(), stream);
    device.hostBytes += int64_t(host.size());
    device.hostPointers.push_back(host.data());
  }
  for (size_t i = 0; i < countBodies(function, words); ++i)
    device.hostPointers.push_back(buffers[count + i]);
  PARTITA_CUDA(cuStreamSynchronize, stream);
  return "";
}

static std::string giveBack(Device &device, Stream stream, const int64_t *words,
                            void *const *buffers) {
  for (size_t i = words[2]; i < device.hostBuffers.size(); ++i) {
    std::vector<char> &host = device.hostBuffers[i];
    if (!host.empty())
      PARTITA_CUDA(cuMemcpyHtoDAsync, toDevice(buffers[i]), host.data(),
                   host.size(), stream);
  }
  // The host's copies are used again by the next such kernel.
  PARTITA_CUDA(cuStreamSynchronize, stream);
  return "";
}

/// "sort" for partita_sort.
static const char *findName(EntryFunction function) {
  for (auto [symbol, address] : getSymbols())
    if (address == reinterpret_cast<void *>(function))
      return symbol + std::strlen("partita_");
  return "kernel";
}

void partita::runtime::cuda::runOnHost(partita_context *context,
                                       EntryFunction function, const char *name,
                                       const int64_t *words,
                                       void *const *buffers) {
  name = name ? name : findName(function);
  runOnDevice(context, name, [&](Device &device) {
    Stream stream = device.isStarting ? device.communication : device.compute;
    return fetch(device, stream, function, words, buffers);
  });
  function(context, words, currentDevice->hostPointers.data());
  runOnDevice(context, name, [&](Device &device) {
    Stream stream = device.isStarting ? device.communication : device.compute;
    return giveBack(device, stream, words, buffers);
  });
}

void partita::runtime::cuda::cuda_dot_general(partita_context *context,
                                              const int64_t *words,
                                              void *const *buffers) {
  bool isOnDevice = hasDot(Descriptor(words));
  if (!isOnDevice)
    return runOnHost(context, partita_dot_general, "dot_general", words,
                     buffers);
  runOnDevice(context, "dot_general", [&](Device &device) {
    return enqueueDot(device, words, buffers);
  });
}

void partita::runtime::cuda::cuda_convolution(partita_context *context,
                                              const int64_t *words,
                                              void *const *buffers) {
  if (!hasConvolution(words))
    return runOnHost(context, partita_convolution, "convolution", words,
                     buffers);
  runOnDevice(context, "convolution", [&](Device &device) {
    return enqueueConvolution(device, words, buffers);
  });
}

void partita::runtime::cuda::cuda_axis_index(partita_context *context,
                                             const int64_t *words,
                                             void *const *buffers) {
  runOnDevice(context, "axis_index", [&](Device &device) -> std::string {
    Descriptor d(words);
    Shape table = d.nextList();
    if (!d.isValid() || (!table.empty() && device.id >= int64_t(table.size())))
      return "the table has no entry for this device";
    int64_t index = table.empty() ? device.id : table[device.id];
    PARTITA_CUDA(cuMemsetD32Async, toDevice(buffers[0]), unsigned(index), 1,
                 device.compute);
    return "";
  });
}
