// Devices on GPUs: the C++ side of partita/Runtime/DeviceABI.h, for whoever
// runs compiled programs. Needs no CUDA to build; the driver, cuBLASLt and NCCL
// are opened when they are first used. No MLIR.
#ifndef PARTITA_RUNTIME_CUDA_H
#define PARTITA_RUNTIME_CUDA_H

#include "partita/Runtime/World.h"

namespace partita::runtime {

/// Why no GPU can be used, for example "libcuda.so.1 not found"; "" if one can.
std::string findGPUs(int &numCards);

/// What a user can do about it.
const char *getGPUFix();

/// 10 * major + minor of the first card; 0 without one.
int getComputeCapability();

/// How devices reach each other: over one card's memory, however many devices
/// there are, or by NCCL with a card for each. Automatic: NCCL if there are
/// enough cards.
enum class GPUTransport { Automatic, OneCard, NCCL };

struct GPUOptions {
  int64_t numDevices = 1;
  size_t arenaBytes = 0;
  /// The program's kernels: PTX, which the driver compiles, or a cubin.
  std::string image;
  GPUTransport transport = GPUTransport::Automatic;
};

/// N devices with their memory on one or N cards. Runs may follow one another.
class GPUWorld {
public:
  explicit GPUWorld(GPUOptions options);
  ~GPUWorld();
  GPUWorld(const GPUWorld &) = delete;
  GPUWorld &operator=(const GPUWorld &) = delete;

  /// Opens the cards, loads the kernels, allocates the arenas. An error text or
  /// "".
  std::string open();

  struct HostBuffer {
    void *data;
    size_t bytes;
  };
  /// Calls `main` once per device with a list of the context, the arguments,
  /// the results and the arena, all but the context in device memory. inputs[d]
  /// is copied to the device before, outputs[d] from it afterwards. Returns the
  /// first error.
  std::string run(void (*main)(void **),
                  const std::vector<std::vector<HostBuffer>> &inputs,
                  const std::vector<std::vector<HostBuffer>> &outputs);

  /// After a failed run, as World::getAbandoned.
  const std::vector<int64_t> &getAbandoned() const;

  /// Milliseconds of the last run between the copies in and out, the slowest
  /// device.
  double getRunMs() const;
  /// Bytes that kernels without a GPU form copied between card and host.
  int64_t getHostBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Name and address of every function of ABI.h and DeviceABI.h, for programs
/// whose buffers are on GPUs.
const std::vector<std::pair<const char *, void *>> &getGPUSymbols();

} // namespace partita::runtime

#endif
