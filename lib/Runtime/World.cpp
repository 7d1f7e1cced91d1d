// Threads of devices: their start, their end in any way, and their memory.
#include "partita/Runtime/World.h"
#include "Gemm.h"
#include "Workers.h"
#include "WorldState.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <sys/mman.h>

using namespace partita::runtime;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

partita::runtime::Arenas::~Arenas() {
  for (char *arena : memory)
    munmap(arena, bytes);
}

World::World(WorldOptions options) : options(options) {}
World::~World() = default;

std::string World::allocate() {
  if (arenas)
    return "";
  auto made = std::make_shared<Arenas>();
  made->bytes = options.arenaBytes;
  for (int64_t i = 0; i < options.numDevices && options.arenaBytes; ++i) {
    void *arena = mmap(nullptr, options.arenaBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
      return "no memory for the arena of device " + std::to_string(i) + " (" +
             std::to_string(options.arenaBytes) + " bytes)";
    madvise(arena, options.arenaBytes, MADV_HUGEPAGE);
    made->memory.push_back(static_cast<char *>(arena));
  }
  arenas = std::move(made);
  return "";
}

void *World::getArena(int64_t device) const {
  return arenas && size_t(device) < arenas->memory.size()
             ? arenas->memory[device]
             : nullptr;
}

void *partita_arena(partita_context *context) {
  const Arenas &arenas = *context->world->arenas;
  return arenas.memory.empty() ? nullptr : arenas.memory[context->device];
}

int64_t partita_arena_bytes(partita_context *context) {
  return int64_t(context->world->arenas->bytes);
}

int64_t partita_device_id(partita_context *context) { return context->device; }

int64_t partita_device_count(partita_context *context) {
  return context->world->options.numDevices;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void partita_fail(partita_context *context, const char *message) {
  context->world->fail("device " + std::to_string(context->device) + ": " +
                       message);
  escapeProgram();
}

namespace {
/// Says that the device has ended when its program does, be it by pthread_exit.
struct Departure {
  std::shared_ptr<WorldState> world;
  int64_t device = 0;
  ~Departure() {
    if (world)
      markWorkerGone();
    depart();
  }
  void depart() {
    if (!world)
      return;
    closeHelper(world->contexts[device].get());
    world->markEnded(device);
    world.reset();
  }
};
} // namespace

static thread_local Departure departure;

/// Returns when the program does, or when a failure makes it escape.
static void runProgram(WorldState &world, int64_t device) {
  jmp_buf escape;
  current.escape = &escape;
  if (setjmp(escape) == 0)
    world.function(world.contexts[device].get());
  current.escape = nullptr;
}

/// The job of a device's thread. Holds no reference of its own to the world, so
/// that none is left when the run is over.
static void runDevice(std::shared_ptr<WorldState> world, int64_t device) {
  departure.world = std::move(world);
  departure.device = device;
  current.record = &departure.world->contexts[device]->program;
  runProgram(*departure.world, device);
  current.record = nullptr;
  departure.depart();
}

/// Whether the device's thread has one for this run.
static bool startDevice(Workers &workers,
                        const std::shared_ptr<WorldState> &world,
                        int64_t device) {
  int code = workers.start(device, [world, device]() mutable {
    runDevice(std::move(world), device);
  });
  if (code == 0)
    return true;
  world->fail("no thread for device " + std::to_string(device) + ": " +
              std::string(strerror(code)));
  world->markEnded(device);
  return false;
}

/// Waits for all devices, or after a failure for the grace time; the error.
static std::string waitForEnd(WorldState &world, std::vector<bool> &isEnded) {
  std::unique_lock<std::mutex> lock(world.mutex);
  auto allEnded = [&] { return world.numEnded == world.options.numDevices; };
  world.ended.wait(lock, [&] { return allEnded() || world.failed; });
  world.ended.wait_for(lock, std::chrono::milliseconds(world.options.graceMs),
                       allEnded);
  for (auto &context : world.contexts)
    isEnded.push_back(context->program.status == ThreadRecord::Status::Ended);
  return world.error;
}

std::string World::run(DeviceFunction function) {
  abandoned.clear();
  std::string error = allocate();
  if (!error.empty())
    return error;
  int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  setBlasThreads(int(options.blasThreads > 0   ? options.blasThreads
                     : options.numDevices == 1 ? cores
                                               : 1));
  if (!workers)
    workers = std::make_unique<Workers>(options.numDevices, options.stackBytes);
  auto world =
      std::make_shared<WorldState>(options, arenas, std::move(function));
  std::vector<bool> isStarted, isEnded;
  for (int64_t i = 0; i < options.numDevices; ++i)
    isStarted.push_back(startDevice(*workers, world, i));
  error = waitForEnd(*world, isEnded);
  for (int64_t i = 0; i < options.numDevices; ++i) {
    if (isEnded[i]) {
      workers->collect(i);
    } else if (isStarted[i]) {
      workers->abandon(i);
      abandoned.push_back(i);
    }
  }
  return error;
}
