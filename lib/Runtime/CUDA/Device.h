// One device of a run on GPUs: its context, streams, events, memory and
// modules. A card may bear several. A device belongs to the thread that runs
// its program; other threads read `published` alone, while all are inside a
// collective.
#ifndef PARTITA_LIB_RUNTIME_CUDA_DEVICE_H
#define PARTITA_LIB_RUNTIME_CUDA_DEVICE_H

#include "../WorldState.h"
#include "Libraries.h"
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace partita::runtime::cuda {

/// Memory that grows when asked for more; its content is lost then.
struct Scratch {
  DevicePointer memory = 0;
  size_t bytes = 0;
};

/// A product as cuBLASLt takes it (Dot.cpp).
struct DotPlan;

/// Events of a collective that other members wait for.
struct Published {
  Event ready = nullptr; ///< inputs are there, outputs may be written
  Event done = nullptr;  ///< this member has read and written
};

/// A collective between start and done.
struct StartedOp {
  int64_t opId;
  Event finished;
};

class Device {
public:
  Device(int64_t id, int card);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Context, streams, events, and the program's kernels: those of `other`, a
  /// device on the same card that lives as long, or else from `image` (PTX or
  /// cubin, may be empty). An error text or "".
  std::string open(const std::string &image, const Device *other);
  /// Makes the context that of the calling thread.
  std::string enter();

  std::string allocate(size_t bytes, DevicePointer &memory);
  /// At least `bytes` of memory for work on `stream`.
  std::string reserve(Stream stream, size_t bytes, DevicePointer &memory);
  std::string findKernel(const char *name, Function &function);
  /// The kernel `name` of a module of our own, made from the text that
  /// `makeText` gives when it is first used.
  std::string findOwnKernel(const std::string &name,
                            std::string (*makeText)(const std::string &),
                            Function &function);

  /// The next event of the pool. An event is recorded again only after all
  /// others have been; a wait then means a later point of the same stream,
  /// which is safe.
  Event takeEvent();

  /// Work enqueued on `later` from now on comes after what is on `earlier` now.
  std::string order(Stream earlier, Stream later);

  const int64_t id;
  const int card;
  Context context = nullptr;
  Stream compute = nullptr, communication = nullptr;
  MatmulHandle blas = nullptr;
  DevicePointer blasWorkspace = 0;

  std::vector<DevicePointer> constants;
  std::vector<StartedOp> started;
  std::vector<Event> idleEvents; ///< for started collectives
  Published published;
  /// What this member waits for when the collective has ended on the host.
  std::vector<Event> pending;
  /// An error inside a collective, where it can't be returned.
  std::string error;
  bool isStarting = false;
  std::unordered_map<const int64_t *, std::unique_ptr<DotPlan>> dots;
  /// Words of products that are parts of other kernels.
  std::set<std::vector<int64_t>> products;
  std::map<std::vector<int64_t>, Communicator> communicators;
  /// Buffers of kernels that run on the host; here, so that a failing kernel
  /// may leave its frames.
  std::vector<std::vector<char>> hostBuffers;
  std::vector<void *> hostPointers;
  int64_t hostBytes = 0; ///< copied for such kernels so far

  struct Fleet *fleet = nullptr;

private:
  std::string loadModule(const char *image, Module &module);

  DeviceHandle handle = 0;
  Module program = nullptr;
  std::vector<Module> modules; ///< loaded by this device
  std::unordered_map<std::string, Function> kernels, ownKernels;
  std::vector<DevicePointer> allocations;
  Scratch computeScratch, communicationScratch;
  std::array<Event, 64> events{};
  size_t nextEvent = 0;
};

/// All devices of a run, by id.
struct Fleet {
  std::vector<std::unique_ptr<Device>> devices;
  /// One card each, linked by NCCL; else all are on one card.
  bool usesNccl = false;
  std::mutex mutex;
  /// NCCL's names for groups of devices, by their ids.
  std::map<std::vector<int64_t>, UniqueId> groups;
};

/// The device whose program the calling thread runs.
extern thread_local Device *currentDevice;

/// Runs `function(device)`, which gives an error text or "" ; an error ends the
/// run. No object with a destructor may be alive in the caller's frames.
template <typename F>
void runOnDevice(partita_context *context, const char *what, F function) {
  bool ok = !context->world->failed.load(std::memory_order_relaxed);
  if (ok) {
    std::string error = function(*currentDevice);
    if (!error.empty()) {
      context->world->fail("device " + std::to_string(context->device) + ", " +
                           what + ": " + error);
      ok = false;
    }
  }
  if (!ok)
    escapeProgram();
}

inline DevicePointer toDevice(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

} // namespace partita::runtime::cuda

#endif
