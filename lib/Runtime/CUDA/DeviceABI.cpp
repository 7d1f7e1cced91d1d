// What compiled programs call to launch kernels and to move bytes.
#include "partita/Runtime/DeviceABI.h"
#include "Device.h"

using namespace partita::runtime::cuda;

void partita_launch(partita_context *context, const char *name,
                    const int64_t *sizes, void *const *arguments) {
  runOnDevice(context, name, [&](Device &device) -> std::string {
    Function function;
    if (std::string error = device.findKernel(name, function); !error.empty())
      return error;
    unsigned dims[6];
    for (int i = 0; i < 6; ++i) {
      if (sizes[i] < 1 || sizes[i] > INT32_MAX)
        return "a launch of size " + std::to_string(sizes[i]);
      dims[i] = unsigned(sizes[i]);
    }
    PARTITA_CUDA(cuLaunchKernel, function, dims[0], dims[1], dims[2], dims[3],
                 dims[4], dims[5], 0, device.compute,
                 const_cast<void **>(arguments), nullptr);
    return "";
  });
}

void partita_copy(partita_context *context, void *target, const void *source,
                  int64_t bytes) {
  runOnDevice(context, "copy", [&](Device &device) -> std::string {
    if (bytes > 0)
      PARTITA_CUDA(cuMemcpyDtoDAsync, toDevice(target), toDevice(source),
                   size_t(bytes), device.compute);
    return "";
  });
}

void partita_read(partita_context *context, void *target, const void *source,
                  int64_t bytes) {
  runOnDevice(context, "read", [&](Device &device) -> std::string {
    if (bytes > 0)
      PARTITA_CUDA(cuMemcpyDtoHAsync, target, toDevice(source), size_t(bytes),
                   device.compute);
    PARTITA_CUDA(cuStreamSynchronize, device.compute);
    return "";
  });
}

void partita_write(partita_context *context, void *target, const void *source,
                   int64_t bytes) {
  runOnDevice(context, "write", [&](Device &device) -> std::string {
    // From pageable memory the driver returns once it has taken the bytes over.
    if (bytes > 0)
      PARTITA_CUDA(cuMemcpyHtoDAsync, toDevice(target), source, size_t(bytes),
                   device.compute);
    return "";
  });
}

const void *partita_constant(partita_context *context, int64_t number,
                             const void *source, int64_t bytes) {
  DevicePointer memory = 0;
  runOnDevice(context, "constant", [&](Device &device) -> std::string {
    if (size_t(number) >= device.constants.size())
      device.constants.resize(number + 1);
    DevicePointer &constant = device.constants[number];
    if (!constant) {
      if (std::string error = device.allocate(size_t(bytes), constant);
          !error.empty())
        return error;
      if (bytes > 0)
        PARTITA_CUDA(cuMemcpyHtoDAsync, constant, source, size_t(bytes),
                     device.compute);
    }
    memory = constant;
    return "";
  });
  return reinterpret_cast<const void *>(memory);
}
