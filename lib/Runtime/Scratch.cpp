// A pool of blocks whose sizes are powers of two, or three times such.
#include "Scratch.h"
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

using namespace partita::runtime;

namespace {
/// Blocks that nobody uses, by size.
class Pool {
public:
  char *take(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = blocks.find(bytes);
    if (it == blocks.end() || it->second.empty())
      return nullptr;
    char *memory = it->second.back();
    it->second.pop_back();
    held -= bytes;
    return memory;
  }

  /// False if the pool is full.
  bool give(char *memory, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    if (held + bytes > limit)
      return false;
    blocks[bytes].push_back(memory);
    held += bytes;
    return true;
  }

private:
  static constexpr size_t limit = size_t(1) << 30;
  std::mutex mutex;
  std::map<size_t, std::vector<char *>> blocks;
  size_t held = 0;
};
} // namespace

/// Lives until the process ends: threads may outlive static objects.
static Pool &getPool() {
  static Pool *pool = new Pool;
  return *pool;
}

/// The next size of a block.
static size_t roundUp(size_t bytes) {
  size_t size = 4096;
  while (size < bytes && size <= SIZE_MAX / 2) // what is larger is refused
    size *= 2;
  return size / 4 * 3 >= bytes && size > 4096 ? size / 4 * 3 : size;
}

/// What this thread got no memory for.
static thread_local size_t failedBytes = 0;

std::string Scratch::takeFailure() {
  size_t wanted = std::exchange(failedBytes, 0);
  return wanted ? "there is no memory for " + std::to_string(wanted) +
                      " bytes of scratch"
                : "";
}

void Scratch::noteFailure(size_t wanted) { failedBytes = wanted; }

bool Scratch::hasFailed() { return failedBytes != 0; }

Scratch::Scratch(size_t wanted) : bytes(roundUp(wanted)) {
  constexpr size_t addressSpace = size_t(1) << 47;
  if (wanted > addressSpace) {
    failedBytes = wanted;
    return;
  }
  memory = getPool().take(bytes);
  if (memory)
    return;
  constexpr size_t hugePage = size_t(2) << 20;
  bool isLarge = bytes >= hugePage;
  // aligned_alloc would want a multiple of the alignment.
  void *made = nullptr;
  if (posix_memalign(&made, isLarge ? hugePage : 64, bytes) != 0) {
    failedBytes = wanted;
    return;
  }
  if (isLarge)
    madvise(made, bytes, MADV_HUGEPAGE);
  memory = static_cast<char *>(made);
}

Scratch::~Scratch() {
  if (memory && !getPool().give(memory, bytes))
    std::free(memory);
}
