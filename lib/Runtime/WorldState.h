// State of one run that the device threads share: who runs, who waits where,
// and the first error. Everything but `failed` is guarded by the mutex.
#ifndef PARTITA_LIB_RUNTIME_WORLDSTATE_H
#define PARTITA_LIB_RUNTIME_WORLDSTATE_H

#include "Descriptor.h"
#include "Scratch.h"
#include "partita/Runtime/World.h"
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace partita::runtime {

struct Arenas {
  std::vector<char *> memory;
  size_t bytes = 0;
  ~Arenas();
};

struct Channel;

/// How one device takes part in the collective of one op id.
struct Plan {
  std::vector<int64_t> words; ///< the descriptor, to see whether it is the same
  Descriptor descriptor;
  Channel *channel = nullptr;  ///< null for a device that does not take part
  std::vector<uint32_t> slots; ///< slot of each member, in the group's order
  size_t position = 0;         ///< of this device in the group
  std::vector<int64_t> rest;   ///< words after the groups
  /// So little data that the last to arrive does the work of all.
  bool isSmall = false;

  explicit Plan(const int64_t *words)
      : words(words, words + words[1]), descriptor(this->words.data()) {}
};

/// A thread that can stand at a rendezvous: of a device's program, or its
/// helper, which runs started collectives.
struct ThreadRecord {
  enum class Status { Idle, Running, AtChannel, AtDone, Ended };
  Status status = Status::Idle;
  Channel *channel = nullptr;
  int64_t device = 0;
  bool isHelper = false;
  int64_t opId = -1;              ///< of the last call
  const char *function = nullptr; ///< of the last call; null before the first
  std::unordered_map<int64_t, Plan> plans; ///< touched by its own thread only
};

/// What a member brings to a collective.
struct Arrival {
  const char *function = nullptr;
  const int64_t *descriptor = nullptr;
  void *const *buffers = nullptr;
  Plan *plan = nullptr;
};

/// How a member goes on after it has arrived.
enum class Entry {
  Failed,     ///< the run has
  Work,       ///< do the own part, then leave
  WorkForAll, ///< do the parts of all members, then leave
  Over        ///< another member has done all
};

/// A set of devices that meet, in one of the two kinds of threads. One
/// collective at a time: all enter, all work, all leave; or the last to enter
/// works for all while the others still stand at the entry, which saves them a
/// wait.
struct Channel {
  std::vector<int64_t> members; ///< device ids, ascending
  bool isHelper = false;
  std::vector<Arrival> slots; ///< one per member; stable while all work
  std::vector<bool> arrived;
  size_t count = 0;        ///< members at the present barrier
  uint64_t generation = 0; ///< barriers passed
  bool inWork = false;     ///< past the entry, before the exit
  std::vector<ThreadRecord *> waiting;
  std::condition_variable changed;
};

/// A started collective.
struct Started {
  int64_t opId;
  void (*function)(partita_context *, const int64_t *, void *const *);
  const int64_t *descriptor;
  std::vector<void *> buffers;
  bool isDone = false;
};

struct WorldState {
  WorldState(const WorldOptions &options, std::shared_ptr<Arenas> arenas,
             DeviceFunction function);
  ~WorldState();

  /// Ends the run with this error unless it has one already.
  void fail(const std::string &message);
  /// As `fail`, under the lock.
  void failLocked(const std::string &message);

  /// Stands at the entry of the channel's next collective until all members
  /// have arrived with the same one, or until all the work is done.
  Entry enter(Plan &plan, const Arrival &arrival);
  /// Stands at the exit until no member works any more.
  void leave(Plan &plan);
  /// Lets the others go after the work of all.
  void leaveForAll(Plan &plan);

  /// The calling thread's device program has ended, in whatever way.
  void markEnded(int64_t device);

  Channel *getChannel(std::vector<int64_t> members, bool isHelper);

  /// What is wrong if nothing can go on any more; called when a thread stops.
  void checkProgress();

  WorldOptions options;
  std::shared_ptr<Arenas> arenas;
  DeviceFunction function;
  std::vector<std::unique_ptr<partita_context>> contexts;

  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string error;
  int64_t running = 0;  ///< threads that compute
  int64_t numEnded = 0; ///< device programs that have ended
  std::condition_variable ended;
  std::map<std::pair<std::vector<int64_t>, bool>, std::unique_ptr<Channel>>
      channels;

private:
  bool checkArrival(Channel &channel, size_t slot, const Arrival &arrival);
  std::string describeLate(const Channel &channel) const;
  void passBarrier(Channel &channel);
  void wait(Channel &channel, std::unique_lock<std::mutex> &lock,
            uint64_t generation);
};

} // namespace partita::runtime

struct partita_context {
  partita::runtime::WorldState *world;
  int64_t device;
  partita::runtime::ThreadRecord program, helper;

  // Started collectives, guarded by the world's mutex. The helper thread starts
  // with the first.
  std::deque<partita::runtime::Started> started;
  size_t numTaken = 0; ///< of `started`, by the helper
  bool closing = false;
  std::condition_variable queued, finished;
  std::thread thread;
};

namespace partita::runtime {

/// The runtime thread that this thread is.
struct CurrentThread {
  ThreadRecord *record = nullptr;
  jmp_buf *escape = nullptr;
};
extern thread_local CurrentThread current;

/// Leaves the program of this thread after a failure; no object with a
/// destructor may be alive in the frames between.
void escapeProgram();

/// Waits until the helper has run everything and ends it; by the program's
/// thread.
void closeHelper(partita_context *context);

/// Runs a kernel: `function(descriptor, buffers)` gives an error text or "".
/// The error ends the run.
template <typename F>
void runKernel(partita_context *context, const int64_t *words,
               void *const *buffers, const char *name, F function) {
  bool ok = !context->world->failed.load(std::memory_order_relaxed);
  if (ok) {
    Descriptor descriptor(words);
    std::string error = function(descriptor, buffers);
    if (error.empty())
      error = Scratch::takeFailure();
    if (!error.empty()) {
      context->world->fail("device " + std::to_string(context->device) +
                           ", op " + std::to_string(words[0]) + " (" + name +
                           "): " + error);
      ok = false;
    }
  }
  if (!ok)
    escapeProgram();
}

#define PARTITA_KERNEL(name, function)                                         \
  void partita_##name(partita_context *context, const int64_t *descriptor,     \
                      void *const *buffers) {                                  \
    partita::runtime::runKernel(context, descriptor, buffers, #name,           \
                                function);                                     \
  }

} // namespace partita::runtime

#endif
