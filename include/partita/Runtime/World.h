// Devices as threads: the C++ side of partita/Runtime/ABI.h, for whoever runs
// compiled programs. No MLIR.
#ifndef PARTITA_RUNTIME_WORLD_H
#define PARTITA_RUNTIME_WORLD_H

#include "partita/Runtime/ABI.h"
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace partita::runtime {

struct WorldOptions {
  int64_t numDevices = 1;
  /// Arena of each device; none if 0.
  size_t arenaBytes = 0;
  /// A collective for which some device has not arrived after this time ends
  /// the run; 0: never. Ended devices and deadlocks are found at once in any
  /// case.
  int64_t waitLimitMs = 0;
  /// How long a failed run waits for devices that still compute before it
  /// returns without them.
  int64_t graceMs = 500;
  /// Stack of each device's thread.
  size_t stackBytes = size_t(64) << 20;
  /// Threads of OpenBLAS within a device; 0: all cores for a single device,
  /// else 1.
  int blasThreads = 0;
};

using DeviceFunction = std::function<void(partita_context *)>;

/// N devices with their memory. Runs may follow one another; arenas keep their
/// contents between them, and threads sleep until the next. One run at a time.
class World {
public:
  explicit World(WorldOptions options);
  ~World();
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  /// Calls `function` once per device, each on a thread of its own, and waits
  /// for all. Returns the first error, which names the devices and ops; "" if
  /// none.
  std::string run(DeviceFunction function);

  /// After a failed run: devices that did not stop within the grace time. Their
  /// threads live on, so whatever the function uses must live until the process
  /// ends; a caller does best to print the error and leave by _exit.
  const std::vector<int64_t> &getAbandoned() const { return abandoned; }

  /// Memory of a device; null before the first run (or `allocate`) or without
  /// arena.
  void *getArena(int64_t device) const;
  /// Allocates the arenas; an error text if there is no memory. `run` does so
  /// too.
  std::string allocate();

  const WorldOptions &getOptions() const { return options; }

private:
  WorldOptions options;
  std::shared_ptr<struct Arenas> arenas;
  std::unique_ptr<class Workers> workers;
  std::vector<int64_t> abandoned;
};

/// Name and address of every function of ABI.h, for a JIT's symbol table.
const std::vector<std::pair<const char *, void *>> &getSymbols();

/// Whether OpenBLAS was found (loads it at the first call).
bool hasBlas();

} // namespace partita::runtime

#endif
