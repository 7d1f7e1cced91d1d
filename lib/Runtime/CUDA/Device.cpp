// Contexts, streams, events, modules and memory of one device.
#include "Device.h"
#include "Dot.h"
#include <algorithm>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

thread_local Device *partita::runtime::cuda::currentDevice = nullptr;

/// What PTX of ours needs; the kernels are made for sm_80 and later.
static constexpr int kOldestCapability = 80;

Device::Device(int64_t id, int card) : id(id), card(card) {}

std::string Device::open(const std::string &image, const Device *other) {
  PARTITA_CUDA(cuDeviceGet, &handle, card);
  int major = 0, minor = 0;
  PARTITA_CUDA(cuDeviceGetAttribute, &major, kComputeCapabilityMajor, handle);
  PARTITA_CUDA(cuDeviceGetAttribute, &minor, kComputeCapabilityMinor, handle);
  if (10 * major + minor < kOldestCapability)
    return "card " + std::to_string(card) + " has compute capability " +
           std::to_string(major) + "." + std::to_string(minor) +
           ", 8.0 is needed";
  PARTITA_CUDA(cuDevicePrimaryCtxRetain, &context, handle);
  if (std::string error = enter(); !error.empty())
    return error;
  PARTITA_CUDA(cuStreamCreate, &compute, kStreamNonBlocking);
  PARTITA_CUDA(cuStreamCreate, &communication, kStreamNonBlocking);
  for (Event &event : events)
    PARTITA_CUDA(cuEventCreate, &event, kEventDisableTiming);
  if (other)
    program = other->program;
  return other || image.empty() ? "" : loadModule(image.c_str(), program);
}

std::string Device::enter() {
  PARTITA_CUDA(cuCtxSetCurrent, context);
  return "";
}

std::string Device::loadModule(const char *image, Module &module) {
  std::vector<char> log(8192, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  if (Result code = getDriver().table.cuModuleLoadDataEx(&module, image, 2,
                                                         options, values))
    return describe(code, "cuModuleLoadDataEx") + ": " + log.data();
  modules.push_back(module);
  return "";
}

std::string Device::allocate(size_t bytes, DevicePointer &memory) {
  bytes = std::max<size_t>(bytes, 256);
  if (Result code = getDriver().table.cuMemAlloc(&memory, bytes)) {
    size_t available = 0, total = 0;
    getDriver().table.cuMemGetInfo(&available, &total);
    return describe(code, "cuMemAlloc") + ": " + std::to_string(bytes) +
           " bytes are needed for device " + std::to_string(id) + ", " +
           std::to_string(available) + " are free on card " +
           std::to_string(card);
  }
  allocations.push_back(memory);
  return "";
}

std::string Device::reserve(Stream stream, size_t bytes,
                            DevicePointer &memory) {
  Scratch &scratch = stream == compute ? computeScratch : communicationScratch;
  if (bytes > scratch.bytes) {
    if (scratch.memory) {
      PARTITA_CUDA(cuStreamSynchronize, stream);
      allocations.erase(
          std::find(allocations.begin(), allocations.end(), scratch.memory));
      PARTITA_CUDA(cuMemFree, scratch.memory);
      scratch = {};
    }
    if (std::string error = allocate(bytes, scratch.memory); !error.empty())
      return error;
    scratch.bytes = bytes;
  }
  memory = scratch.memory;
  return "";
}

std::string Device::findKernel(const char *name, Function &function) {
  auto found = kernels.find(name);
  if (found == kernels.end()) {
    if (!program)
      return "the program has no kernels";
    PARTITA_CUDA(cuModuleGetFunction, &function, program, name);
    kernels.emplace(name, function);
    return "";
  }
  function = found->second;
  return "";
}

std::string Device::findOwnKernel(const std::string &name,
                                  std::string (*makeText)(const std::string &),
                                  Function &function) {
  auto found = ownKernels.find(name);
  if (found != ownKernels.end()) {
    function = found->second;
    return "";
  }
  Module module;
  if (std::string error = loadModule(makeText(name).c_str(), module);
      !error.empty())
    return error;
  PARTITA_CUDA(cuModuleGetFunction, &function, module, name.c_str());
  ownKernels.emplace(name, function);
  return "";
}

Event Device::takeEvent() { return events[nextEvent++ % events.size()]; }

std::string Device::order(Stream earlier, Stream later) {
  Event event = takeEvent();
  PARTITA_CUDA(cuEventRecord, event, earlier);
  PARTITA_CUDA(cuStreamWaitEvent, later, event, 0);
  return "";
}

Device::~Device() {
  if (!context)
    return;
  // Errors can't be told any more; a failed context refuses all of this.
  const Driver &driver = getDriver().table;
  driver.cuCtxSetCurrent(context);
  for (Stream stream : {compute, communication})
    if (stream)
      driver.cuStreamSynchronize(stream);
  for (auto &[members, communicator] : communicators)
    getNccl().table.ncclCommDestroy(communicator);
  dots.clear();
  if (blas)
    getBlas().table.cublasLtDestroy(blas);
  for (Event event : events)
    if (event)
      driver.cuEventDestroy(event);
  for (Event event : idleEvents)
    driver.cuEventDestroy(event);
  for (const StartedOp &op : started)
    driver.cuEventDestroy(op.finished);
  for (Stream stream : {compute, communication})
    if (stream)
      driver.cuStreamDestroy(stream);
  for (Module module : modules)
    driver.cuModuleUnload(module);
  for (DevicePointer memory : allocations)
    driver.cuMemFree(memory);
  driver.cuDevicePrimaryCtxRelease(handle);
}
