// Threads that are kept between runs: starting one costs more than a small
// program.
#ifndef PARTITA_LIB_RUNTIME_WORKERS_H
#define PARTITA_LIB_RUNTIME_WORKERS_H

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace partita::runtime {

/// A thread that sleeps until it is given a job. Whoever gives jobs knows by
/// other means when one is over.
struct Worker {
  pthread_t thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> job; ///< the next one; empty if there is none
  /// The one that runs, for its thread alone; here and not on the stack, which
  /// a thread that ends in the middle leaves without cleaning up.
  std::function<void()> present;
  bool isClosing = false;
  bool isGone = false; ///< the thread has ended in the middle of a job

  void give(std::function<void()> next);
};

/// One worker per place, made at the first job there. The owner uses it from
/// one thread, or under a lock.
class Workers {
public:
  Workers(size_t count, size_t stackBytes)
      : workers(count), stackBytes(stackBytes) {}
  /// Waits for the jobs that still run.
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  /// Runs the job on the thread of this place; an error number if there is
  /// none.
  int start(size_t place, std::function<void()> job);

  /// The job of this place is over: forgets the thread if that took it along.
  void collect(size_t place);

  /// The job of this place will not end soon: its thread is left to itself and
  /// ends with it.
  void abandon(size_t place);

private:
  std::vector<std::shared_ptr<Worker>> workers;
  size_t stackBytes;
};

/// Marks the worker that this thread is as gone, in a destructor that runs when
/// a thread ends in the middle of a job, before that says that the job is over.
void markWorkerGone();

} // namespace partita::runtime

#endif
