// Threads of devices: their start, their end in any way, and their memory.
#include "partita/Runtime/World.h"
#include "Gemm.h"
#include "WorldState.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <pthread.h>
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
  return arenas && size_t(device) < arenas->memory.size() ? arenas->memory[device]
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
  context->world->fail("device " + std::to_string(context->device) + ": " + message);
  escapeProgram();
}

namespace {
/// Says that the device has ended when its thread does, be it by pthread_exit.
struct Departure {
  std::shared_ptr<WorldState> world;
  int64_t device = 0;
  ~Departure() { depart(); }
  void depart() {
    if (!world)
      return;
    partita_context *context = world->contexts[device].get();
    closeHelper(context);
    world->markEnded(device);
    world.reset();
  }
};

struct ThreadStart {
  std::shared_ptr<WorldState> world;
  int64_t device;
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

static void *startThread(void *argument) {
  auto *start = static_cast<ThreadStart *>(argument);
  departure.world = start->world;
  departure.device = start->device;
  current.record = &start->world->contexts[start->device]->program;
  delete start;
  runProgram(*departure.world, departure.device);
  departure.depart();
  return nullptr;
}

/// Starts the thread of a device; an error number if that fails.
static int startDevice(const std::shared_ptr<WorldState> &world, int64_t device,
                       pthread_t &thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max<size_t>(world->options.stackBytes, 1 << 20));
  auto *start = new ThreadStart{world, device};
  int code = pthread_create(&thread, &attributes, startThread, start);
  pthread_attr_destroy(&attributes);
  if (code) {
    world->fail("no thread for device " + std::to_string(device) + ": " +
                std::string(strerror(code)));
    world->markEnded(device);
    delete start;
  }
  return code;
}

std::string World::run(DeviceFunction function) {
  abandoned.clear();
  std::string error = allocate();
  if (!error.empty())
    return error;
  int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  setBlasThreads(int(options.blasThreads > 0      ? options.blasThreads
                     : options.numDevices == 1 ? cores
                                               : 1));
  auto world = std::make_shared<WorldState>(options, arenas, std::move(function));
  std::vector<pthread_t> threads(options.numDevices);
  std::vector<bool> isStarted(options.numDevices);
  for (int64_t i = 0; i < options.numDevices; ++i)
    isStarted[i] = startDevice(world, i, threads[i]) == 0;
  std::vector<bool> isEnded(options.numDevices);
  {
    std::unique_lock<std::mutex> lock(world->mutex);
    auto allEnded = [&] { return world->numEnded == options.numDevices; };
    world->ended.wait(lock, [&] { return allEnded() || world->failed; });
    world->ended.wait_for(lock, std::chrono::milliseconds(options.graceMs), allEnded);
    error = world->error;
    for (int64_t i = 0; i < options.numDevices; ++i)
      isEnded[i] = world->contexts[i]->program.status == ThreadRecord::Status::Ended;
  }
  for (int64_t i = 0; i < options.numDevices; ++i) {
    if (!isStarted[i])
      continue;
    if (isEnded[i]) {
      pthread_join(threads[i], nullptr);
      continue;
    }
    pthread_detach(threads[i]);
    abandoned.push_back(i);
  }
  return error;
}
