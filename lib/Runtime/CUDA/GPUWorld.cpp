// Opens the cards and runs programs on them, a thread per device.
#include "Device.h"
#include "Entries.h"
#include "partita/Runtime/CUDA.h"
#include "partita/Runtime/DeviceABI.h"
#include <algorithm>
#include <chrono>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

std::string partita::runtime::findGPUs(int &numCards) {
  numCards = 0;
  if (const std::string &error = getDriver().error; !error.empty())
    return error;
  PARTITA_CUDA(cuDeviceGetCount, &numCards);
  return numCards ? "" : "the driver finds no card";
}

const char *partita::runtime::getGPUFix() {
  return "run on a machine with an NVIDIA GPU and its driver (libcuda.so.1 "
         "must be found, "
         "LD_LIBRARY_PATH helps), or use --engine=gpu-emulate, which runs the "
         "same kernels "
         "on the CPU";
}

int partita::runtime::getComputeCapability() {
  int cards = 0, major = 0, minor = 0;
  DeviceHandle handle = 0;
  const Driver &driver = getDriver().table;
  if (!findGPUs(cards).empty() || driver.cuDeviceGet(&handle, 0) ||
      driver.cuDeviceGetAttribute(&major, kComputeCapabilityMajor, handle) ||
      driver.cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, handle))
    return 0;
  return 10 * major + minor;
}

namespace {
/// What one device's thread needs; here, since it may leave its frames.
struct Call {
  std::vector<void *> values; ///< context, arguments, results, arena
  DevicePointer memory = 0;   ///< of arguments and results
  size_t bytes = 0;
  double ms = 0;
};
} // namespace

struct GPUWorld::Impl {
  GPUOptions options;
  Fleet fleet;
  std::vector<DevicePointer> arenas;
  std::vector<Call> calls;
  std::unique_ptr<World> world;
  bool isOpen = false;

  std::string chooseTransport();
  std::string load(Device &device, partita_context *context,
                   const std::vector<HostBuffer> &inputs,
                   const std::vector<HostBuffer> &outputs);
  std::string unload(Device &device, const std::vector<HostBuffer> &inputs,
                     const std::vector<HostBuffer> &outputs);
};

GPUWorld::GPUWorld(GPUOptions options) : impl(std::make_unique<Impl>()) {
  impl->options = std::move(options);
}
GPUWorld::~GPUWorld() = default;

const std::vector<int64_t> &GPUWorld::getAbandoned() const {
  static const std::vector<int64_t> none;
  return impl->world ? impl->world->getAbandoned() : none;
}

double GPUWorld::getRunMs() const {
  double slowest = 0;
  for (const Call &call : impl->calls)
    slowest = std::max(slowest, call.ms);
  return slowest;
}

int64_t GPUWorld::getHostBytes() const {
  int64_t bytes = 0;
  for (const auto &device : impl->fleet.devices)
    bytes += device->hostBytes;
  return bytes;
}

std::string GPUWorld::Impl::chooseTransport() {
  int cards = 0;
  if (std::string error = findGPUs(cards); !error.empty())
    return "no GPU: " + error;
  bool hasEnough = cards >= options.numDevices;
  if (options.transport == GPUTransport::NCCL && !hasEnough)
    return "NCCL needs a card for each of " +
           std::to_string(options.numDevices) + " devices, there are " +
           std::to_string(cards);
  fleet.usesNccl = options.transport != GPUTransport::OneCard && hasEnough &&
                   options.numDevices > 1;
  return "";
}

std::string GPUWorld::open() {
  Impl &state = *impl;
  if (state.isOpen)
    return "";
  if (std::string error = state.chooseTransport(); !error.empty())
    return error;
  const GPUOptions &options = state.options;
  state.calls.resize(options.numDevices);
  for (int64_t id = 0; id < options.numDevices; ++id) {
    int card = state.fleet.usesNccl ? int(id) : 0;
    const Device *other =
        id && !state.fleet.usesNccl ? state.fleet.devices[0].get() : nullptr;
    auto &device =
        state.fleet.devices.emplace_back(std::make_unique<Device>(id, card));
    device->fleet = &state.fleet;
    std::string error = device->open(options.image, other);
    DevicePointer arena = 0;
    if (error.empty())
      error = device->allocate(options.arenaBytes, arena);
    if (!error.empty())
      return error;
    if (options.arenaBytes)
      PARTITA_CUDA(cuMemsetD8Async, arena, 0, options.arenaBytes,
                   device->compute);
    state.arenas.push_back(arena);
  }
  WorldOptions world;
  world.numDevices = options.numDevices;
  state.world = std::make_unique<World>(world);
  state.isOpen = true;
  return "";
}

static size_t alignUp(size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Places arguments and results in one piece of memory and copies the
/// arguments.
std::string GPUWorld::Impl::load(Device &device, partita_context *context,
                                 const std::vector<HostBuffer> &inputs,
                                 const std::vector<HostBuffer> &outputs) {
  Call &call = calls[device.id];
  size_t total = 0;
  for (const auto *list : {&inputs, &outputs})
    for (const HostBuffer &buffer : *list)
      total += alignUp(std::max<size_t>(buffer.bytes, 1));
  if (total > call.bytes) {
    if (std::string error = device.allocate(total, call.memory); !error.empty())
      return error;
    call.bytes = total;
  }
  call.values = {context};
  DevicePointer at = call.memory;
  for (const auto *list : {&inputs, &outputs})
    for (const HostBuffer &buffer : *list) {
      call.values.push_back(reinterpret_cast<void *>(at));
      if (list == &inputs && buffer.bytes)
        PARTITA_CUDA(cuMemcpyHtoDAsync, at, buffer.data, buffer.bytes,
                     device.compute);
      at += alignUp(std::max<size_t>(buffer.bytes, 1));
    }
  call.values.push_back(reinterpret_cast<void *>(arenas[device.id]));
  PARTITA_CUDA(cuStreamSynchronize, device.compute);
  return "";
}

std::string GPUWorld::Impl::unload(Device &device,
                                   const std::vector<HostBuffer> &inputs,
                                   const std::vector<HostBuffer> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].bytes)
      PARTITA_CUDA(cuMemcpyDtoHAsync, outputs[i].data,
                   toDevice(calls[device.id].values[1 + inputs.size() + i]),
                   outputs[i].bytes, device.compute);
  PARTITA_CUDA(cuStreamSynchronize, device.compute);
  return "";
}

std::string GPUWorld::run(void (*main)(void **),
                          const std::vector<std::vector<HostBuffer>> &inputs,
                          const std::vector<std::vector<HostBuffer>> &outputs) {
  if (std::string error = open(); !error.empty())
    return error;
  using Clock = std::chrono::steady_clock;
  Impl &state = *impl;
  return state.world->run([&, main](partita_context *context) {
    int64_t id = partita_device_id(context);
    currentDevice = state.fleet.devices[id].get();
    runOnDevice(context, "start", [&](Device &device) {
      std::string error = device.enter();
      if (error.empty())
        error = state.load(device, context, inputs[id], outputs[id]);
      return error;
    });
    Clock::time_point start = Clock::now();
    main(state.calls[id].values.data());
    runOnDevice(context, "end", [&](Device &device) -> std::string {
      PARTITA_CUDA(cuStreamSynchronize, device.communication);
      PARTITA_CUDA(cuStreamSynchronize, device.compute);
      state.calls[id].ms =
          std::chrono::duration<double, std::milli>(Clock::now() - start)
              .count();
      return state.unload(device, inputs[id], outputs[id]);
    });
  });
}

const std::vector<std::pair<const char *, void *>> &
partita::runtime::getGPUSymbols() {
#define ENTRY(name) {"partita_" #name, reinterpret_cast<void *>(&cuda_##name)}
#define HOST(name)                                                             \
  {"partita_" #name, reinterpret_cast<void *>(&runKernelOnHost<partita_##name>)}
#define SAME(name)                                                             \
  {                                                                            \
    "partita_" #name, reinterpret_cast<void *>(&partita_##name)                \
  }
  static const std::vector<std::pair<const char *, void *>> symbols = {
      ENTRY(dot_general),
      ENTRY(axis_index),
      ENTRY(all_reduce),
      ENTRY(all_gather),
      ENTRY(reduce_scatter),
      ENTRY(all_to_all),
      ENTRY(permute),
      ENTRY(broadcast),
      ENTRY(exchange),
      ENTRY(ragged_all_to_all),
      ENTRY(start),
      ENTRY(done),
      HOST(sort),
      HOST(gather),
      HOST(scatter),
      HOST(reduce_window),
      HOST(select_and_scatter),
      ENTRY(convolution),
      HOST(rng_bit_generator),
      HOST(rng),
      HOST(fft),
      HOST(cholesky),
      HOST(triangular_solve),
      HOST(lapack),
      HOST(unknown_call),
      HOST(ragged_dot),
      HOST(top_k),
      HOST(elementwise),
      SAME(fail),
      SAME(device_id),
      SAME(device_count),
      SAME(launch),
      SAME(copy),
      SAME(read),
      SAME(write),
      SAME(constant),
  };
#undef ENTRY
#undef HOST
#undef SAME
  return symbols;
}
