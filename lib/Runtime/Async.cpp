// partita_start and partita_done: each device has a helper thread, made at its
// first start, that runs the started collectives in order.
#include "WorldState.h"

using namespace partita::runtime;
using Status = ThreadRecord::Status;

/// Runs one started call; false if it escaped.
static bool runStarted(partita_context *context, const Started &call) {
  jmp_buf escape;
  current.escape = &escape;
  bool isFirst = setjmp(escape) == 0;
  if (isFirst)
    call.function(context, call.descriptor, call.buffers.data());
  current.escape = nullptr;
  return isFirst;
}

static void runHelper(partita_context *context) {
  WorldState &world = *context->world;
  current.record = &context->helper;
  std::unique_lock<std::mutex> lock(world.mutex);
  while (true) {
    context->queued.wait(lock, [&] {
      return context->numTaken < context->started.size() || context->closing ||
             world.failed;
    });
    if (world.failed || context->numTaken == context->started.size())
      break;
    // References into a deque survive push_back.
    Started &call = context->started[context->numTaken++];
    lock.unlock();
    bool ok = runStarted(context, call);
    lock.lock();
    if (!ok)
      break;
    call.isDone = true;
    // At the end of the program the thread joins this one instead.
    if (context->program.status == Status::AtDone && !context->closing) {
      context->program.status = Status::Running;
      ++world.running;
      context->finished.notify_all();
    }
    if (context->numTaken == context->started.size()) {
      context->helper.status = Status::Idle;
      --world.running;
      world.checkProgress();
    }
  }
  if (context->helper.status == Status::Running)
    --world.running;
  context->helper.status = Status::Idle;
}

/// How many functions follow the buffers: one for a reduction by a body.
static size_t countBodies(void (*function)(partita_context *, const int64_t *,
                                           void *const *),
                          const int64_t *words) {
  if (function != partita_all_reduce && function != partita_reduce_scatter)
    return 0;
  Descriptor descriptor(words);
  int64_t groups = descriptor.next(), size = descriptor.next();
  descriptor.nextItems(groups * size);
  return descriptor.next() == PARTITA_BODY ? 1 : 0;
}

void partita_start(partita_context *context,
                   void (*function)(partita_context *, const int64_t *, void *const *),
                   const int64_t *descriptor, void *const *buffers) {
  WorldState &world = *context->world;
  if (!world.failed) {
    size_t count = descriptor[2] + descriptor[3] + countBodies(function, descriptor);
    Started call{descriptor[0], function, descriptor, {buffers, buffers + count}};
    std::lock_guard<std::mutex> lock(world.mutex);
    context->started.push_back(std::move(call));
    if (context->helper.status == Status::Idle) {
      context->helper.status = Status::Running;
      ++world.running;
    }
    if (!context->thread.joinable())
      context->thread = std::thread(runHelper, context);
    context->queued.notify_all();
    return;
  }
  escapeProgram();
}

/// Waits for the earliest call of this op id and forgets it.
static void waitForDone(partita_context *context, int64_t opId) {
  WorldState &world = *context->world;
  std::unique_lock<std::mutex> lock(world.mutex);
  ThreadRecord &record = context->program;
  while (!world.failed) {
    auto call = context->started.begin();
    while (call != context->started.end() && call->opId != opId)
      ++call;
    if (call == context->started.end()) {
      world.failLocked("device " + std::to_string(context->device) + ": op " +
                       std::to_string(opId) + " is done but was not started");
      return;
    }
    if (call->isDone) {
      // Erasing inside would move calls that the helper holds; marked ones go
      // when they come to the front.
      call->opId = -1;
      while (!context->started.empty() && context->started.front().opId == -1) {
        context->started.pop_front();
        --context->numTaken;
      }
      return;
    }
    record.opId = opId;
    record.function = "start";
    record.status = Status::AtDone;
    --world.running;
    world.checkProgress();
    context->finished.wait(
        lock, [&] { return record.status == Status::Running || world.failed; });
  }
}

void partita_done(partita_context *context, int64_t opId) {
  waitForDone(context, opId);
  if (context->world->failed)
    escapeProgram();
}

void partita::runtime::closeHelper(partita_context *context) {
  WorldState &world = *context->world;
  {
    std::unique_lock<std::mutex> lock(world.mutex);
    if (!context->thread.joinable())
      return;
    context->closing = true;
    context->queued.notify_all();
    // The program itself computes no more; the helper may still wait for others.
    if (context->program.status == Status::Running) {
      context->program.status = Status::AtDone;
      context->program.function = "end of program";
      --world.running;
      world.checkProgress();
    }
  }
  context->thread.join();
}
