// Memory of a kernel for the time of one call.
#ifndef PARTITA_LIB_RUNTIME_SCRATCH_H
#define PARTITA_LIB_RUNTIME_SCRATCH_H

#include <cstddef>
#include <string>
#include <utility>

namespace partita::runtime {

/// Uninitialised bytes, aligned to 64. What is given back is kept for later
/// calls of any thread: fresh pages cost more than most kernels do with them.
/// Null where there is no memory: the kernel then returns at once, and
/// runKernel ends the run with takeFailure's message.
class Scratch {
public:
  Scratch() = default;
  explicit Scratch(size_t bytes);
  Scratch(Scratch &&other) noexcept { *this = std::move(other); }
  Scratch &operator=(Scratch &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Scratch();

  /// What this thread asked for in vain since the last call, "" if nothing.
  static std::string takeFailure();
  static bool hasFailed();
  /// As if this thread had asked for `bytes` in vain: for what its helpers did.
  static void noteFailure(size_t bytes);

  explicit operator bool() const { return memory != nullptr; }
  char *data() const { return memory; }
  template <typename T> T *as() const { return reinterpret_cast<T *>(memory); }

private:
  char *memory = nullptr;
  size_t bytes = 0; // of the block, which may be larger than was asked for
};

} // namespace partita::runtime

#endif
