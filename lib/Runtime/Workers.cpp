// Workers: a thread each, parked on a condition variable between jobs.
#include "Workers.h"
#include <algorithm>

using namespace partita::runtime;

/// The worker that this thread is. Made before whatever a job keeps for the
/// thread, so it is still there in the destructors of that.
static thread_local std::shared_ptr<Worker> self;

void partita::runtime::markWorkerGone() {
  if (!self)
    return;
  std::lock_guard<std::mutex> lock(self->mutex);
  self->isGone = true;
}

void Worker::give(std::function<void()> next) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = std::move(next);
  }
  changed.notify_one();
}

static void *runWorker(void *argument) {
  auto *reference = static_cast<std::shared_ptr<Worker> *>(argument);
  self = std::move(*reference);
  delete reference;
  Worker &worker = *self;
  std::unique_lock<std::mutex> lock(worker.mutex);
  while (true) {
    worker.changed.wait(lock, [&] { return worker.job || worker.isClosing; });
    if (!worker.job)
      break;
    worker.present = std::move(worker.job);
    worker.job = nullptr;
    lock.unlock();
    worker.present();
    worker.present = nullptr;
    lock.lock();
  }
  return nullptr;
}

Workers::~Workers() {
  for (const std::shared_ptr<Worker> &worker : workers) {
    if (!worker)
      continue;
    {
      std::lock_guard<std::mutex> lock(worker->mutex);
      worker->isClosing = true;
    }
    worker->changed.notify_one();
  }
  for (const std::shared_ptr<Worker> &worker : workers)
    if (worker)
      pthread_join(worker->thread, nullptr);
}

int Workers::start(size_t place, std::function<void()> job) {
  std::shared_ptr<Worker> &worker = workers[place];
  if (worker) {
    worker->give(std::move(job));
    return 0;
  }
  auto made = std::make_shared<Worker>();
  made->job = std::move(job);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes,
                            std::max<size_t>(stackBytes, size_t(1) << 20));
  auto *reference = new std::shared_ptr<Worker>(made);
  int code = pthread_create(&made->thread, &attributes, runWorker, reference);
  pthread_attr_destroy(&attributes);
  if (code)
    delete reference;
  else
    worker = std::move(made);
  return code;
}

void Workers::collect(size_t place) {
  std::shared_ptr<Worker> &worker = workers[place];
  if (!worker)
    return;
  {
    std::lock_guard<std::mutex> lock(worker->mutex);
    if (!worker->isGone)
      return;
  }
  pthread_join(worker->thread, nullptr);
  worker = nullptr;
}

void Workers::abandon(size_t place) {
  std::shared_ptr<Worker> &worker = workers[place];
  {
    std::lock_guard<std::mutex> lock(worker->mutex);
    worker->isClosing = true;
  }
  pthread_detach(worker->thread);
  worker = nullptr;
}
