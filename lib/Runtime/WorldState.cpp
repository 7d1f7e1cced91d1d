// The rendezvous of device threads, with the checks that turn a device that is
// missing, has ended or disagrees into an error at once.
#include "WorldState.h"
#include <algorithm>
#include <chrono>
#include <cstring>

using namespace partita::runtime;
using Status = ThreadRecord::Status;

thread_local CurrentThread partita::runtime::current;

void partita::runtime::escapeProgram() {
  if (current.escape)
    longjmp(*current.escape, 1);
}

WorldState::WorldState(const WorldOptions &options,
                       std::shared_ptr<Arenas> arenas, DeviceFunction function)
    : options(options), arenas(std::move(arenas)),
      function(std::move(function)) {
  for (int64_t i = 0; i < options.numDevices; ++i) {
    auto context = std::make_unique<partita_context>();
    context->world = this;
    context->device = i;
    context->program.device = context->helper.device = i;
    context->helper.isHelper = true;
    context->program.status = Status::Running;
    contexts.push_back(std::move(context));
  }
  running = options.numDevices;
}

WorldState::~WorldState() = default;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string describeOp(int64_t opId, const char *function) {
  return "op " + std::to_string(opId) + " (" + function + ")";
}

static std::string describeDevices(const std::vector<int64_t> &devices) {
  std::string text = devices.size() == 1 ? "device " : "devices ";
  for (size_t i = 0; i < devices.size() && i < 8; ++i)
    text += (i ? ", " : "") + std::to_string(devices[i]);
  return text + (devices.size() > 8 ? ", ..." : "");
}

/// What a member that has not arrived does instead.
static std::string describeThread(const ThreadRecord &record) {
  std::string op =
      record.function ? describeOp(record.opId, record.function) : "";
  switch (record.status) {
  case Status::Ended:
    return record.function ? "has ended after " + op
                           : "has ended before any op";
  case Status::AtChannel:
    return "waits at " + op;
  case Status::AtDone:
    return "waits for the end of " + op;
  case Status::Running:
    return record.function ? "computes after " + op
                           : "computes before its first op";
  case Status::Idle:
    return "has not started it";
  }
  return "";
}

std::string WorldState::describeLate(const Channel &channel) const {
  std::string text;
  int64_t shown = 0;
  for (size_t i = 0; i < channel.members.size(); ++i) {
    if (channel.arrived[i] || shown++ >= 4)
      continue;
    const partita_context &context = *contexts[channel.members[i]];
    const ThreadRecord &record =
        channel.isHelper && context.helper.status != Status::Idle
            ? context.helper
            : context.program;
    text += (text.empty() ? "" : "; ") + describeDevices({channel.members[i]}) +
            " " + describeThread(record);
  }
  return text;
}

static std::vector<int64_t> getArrived(const Channel &channel) {
  std::vector<int64_t> devices;
  for (size_t i = 0; i < channel.members.size(); ++i)
    if (channel.arrived[i])
      devices.push_back(channel.members[i]);
  return devices;
}

/// "device 0 waits at op 3 (all_reduce)" for the devices at a channel's entry.
static std::string describeWaiting(const Channel &channel) {
  std::vector<int64_t> devices = getArrived(channel);
  size_t first =
      std::find(channel.arrived.begin(), channel.arrived.end(), true) -
      channel.arrived.begin();
  const Arrival &arrival = channel.slots[first];
  return describeDevices(devices) +
         (devices.size() == 1 ? " waits at " : " wait at ") +
         describeOp(arrival.descriptor[0], arrival.function);
}

//===----------------------------------------------------------------------===//
// Failure
//===----------------------------------------------------------------------===//

void WorldState::fail(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  failLocked(message);
}

void WorldState::failLocked(const std::string &message) {
  if (failed)
    return;
  error = message;
  failed = true;
  for (auto &[key, channel] : channels)
    channel->changed.notify_all();
  for (auto &context : contexts) {
    context->queued.notify_all();
    context->finished.notify_all();
  }
  ended.notify_all();
}

void WorldState::checkProgress() {
  if (running > 0 || failed)
    return;
  std::string text;
  int64_t shown = 0;
  for (auto &[key, channel] : channels)
    if (channel->count && !channel->inWork && shown++ < 4)
      text += (text.empty() ? "" : "; ") + describeWaiting(*channel) +
              ", but " + describeLate(*channel);
  if (!text.empty())
    failLocked("deadlock: " + text);
}

void WorldState::markEnded(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex);
  partita_context &context = *contexts[device];
  if (context.program.status == Status::Ended)
    return;
  if (context.program.status == Status::Running)
    --running;
  context.program.status = Status::Ended;
  ++numEnded;
  for (auto &[key, channel] : channels) {
    if (failed || !channel->count || channel->inWork)
      continue;
    auto *member = std::lower_bound(
        channel->members.data(),
        channel->members.data() + channel->members.size(), device);
    size_t slot = member - channel->members.data();
    if (slot < channel->members.size() && *member == device &&
        !channel->arrived[slot])
      failLocked(describeWaiting(*channel) + ", but " + describeLate(*channel));
  }
  checkProgress();
  if (numEnded == options.numDevices)
    ended.notify_all();
}

//===----------------------------------------------------------------------===//
// Rendezvous
//===----------------------------------------------------------------------===//

Channel *WorldState::getChannel(std::vector<int64_t> members, bool isHelper) {
  std::sort(members.begin(), members.end());
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Channel> &channel = channels[{members, isHelper}];
  if (!channel) {
    channel = std::make_unique<Channel>();
    channel->slots.resize(members.size());
    channel->arrived.assign(members.size(), false);
    channel->members = std::move(members);
    channel->isHelper = isHelper;
  }
  return channel.get();
}

/// The first difference between two descriptors, in words; both name one op.
static std::string compareDescriptors(const int64_t *a, const int64_t *b) {
  Descriptor first(a), second(b);
  for (auto list : {&Descriptor::inputs, &Descriptor::outputs}) {
    const char *what = list == &Descriptor::inputs ? "input" : "output";
    auto &x = first.*list, &y = second.*list;
    if (x.size() != y.size())
      return std::to_string(x.size()) + " and " + std::to_string(y.size()) +
             " " + what + "s";
    for (size_t i = 0; i < x.size(); ++i) {
      std::string name = std::string(what) + " " + std::to_string(i) + " of ";
      if (x[i].dtype != y[i].dtype)
        return name + "type " + getName(x[i].dtype) + " and " +
               getName(y[i].dtype);
      if (x[i].getBytes() != y[i].getBytes())
        return name + std::to_string(x[i].getBytes()) + " and " +
               std::to_string(y[i].getBytes()) + " bytes";
      if (x[i].shape != y[i].shape)
        return name + "different shapes";
    }
  }
  for (int64_t i = 0; i < a[1] && i < b[1]; ++i)
    if (a[i] != b[i] && i != 1)
      return "different groups, reductions or parameters (word " +
             std::to_string(i) + " is " + std::to_string(a[i]) + " and " +
             std::to_string(b[i]) + ")";
  return "descriptors of different lengths";
}

/// Compares an arrival with those before it and looks for members that have
/// ended.
bool WorldState::checkArrival(Channel &channel, size_t slot,
                              const Arrival &arrival) {
  size_t other =
      std::find(channel.arrived.begin(), channel.arrived.end(), true) -
      channel.arrived.begin();
  if (other < channel.slots.size()) {
    const Arrival &first = channel.slots[other];
    std::string self = describeDevices({channel.members[slot]});
    std::string op = describeOp(arrival.descriptor[0], arrival.function);
    const int64_t *a = first.descriptor, *b = arrival.descriptor;
    if (a[0] != b[0] || first.function != arrival.function) {
      failLocked(self + " arrives at " + op + ", but " +
                 describeWaiting(channel) + " in the same group");
      return false;
    }
    if (a != b && (a[1] != b[1] || std::memcmp(a, b, a[1] * sizeof(int64_t)))) {
      failLocked("devices " + std::to_string(channel.members[other]) + " and " +
                 std::to_string(channel.members[slot]) + " disagree at " + op +
                 ": " + compareDescriptors(a, b));
      return false;
    }
  }
  channel.slots[slot] = arrival;
  channel.arrived[slot] = true;
  for (size_t i = 0; numEnded && i < channel.members.size(); ++i)
    if (!channel.arrived[i] &&
        contexts[channel.members[i]]->program.status == Status::Ended) {
      failLocked(describeWaiting(channel) + ", but " + describeLate(channel));
      return false;
    }
  return true;
}

void WorldState::passBarrier(Channel &channel) {
  channel.count = 0;
  ++channel.generation;
  channel.inWork = !channel.inWork;
  if (!channel.inWork)
    channel.arrived.assign(channel.members.size(), false);
  for (ThreadRecord *record : channel.waiting)
    record->status = Status::Running;
  running += channel.waiting.size();
  channel.waiting.clear();
  channel.changed.notify_all();
}

/// Waits at the entry for the next barrier, or the failure of the run.
void WorldState::wait(Channel &channel, std::unique_lock<std::mutex> &lock,
                      uint64_t generation) {
  // A member that works still reads the others' buffers: none may go, failure
  // or not.
  auto isOver = [&] {
    return channel.generation != generation || (failed && !channel.inWork);
  };
  if (options.waitLimitMs > 0 &&
      !channel.changed.wait_for(
          lock, std::chrono::milliseconds(options.waitLimitMs), isOver) &&
      !channel.inWork)
    failLocked(describeWaiting(channel) + " for more than " +
               std::to_string(options.waitLimitMs) + " ms, but " +
               describeLate(channel));
  channel.changed.wait(lock, isOver);
}

Entry WorldState::enter(Plan &plan, const Arrival &arrival) {
  Channel &channel = *plan.channel;
  std::unique_lock<std::mutex> lock(mutex);
  ThreadRecord &record = *current.record;
  record.opId = arrival.descriptor[0];
  record.function = arrival.function;
  if (failed || !checkArrival(channel, plan.slots[plan.position], arrival))
    return Entry::Failed;
  if (++channel.count == channel.members.size()) {
    if (plan.isSmall) {
      channel.inWork = true;
      return Entry::WorkForAll;
    }
    passBarrier(channel);
    return Entry::Work;
  }
  uint64_t generation = channel.generation;
  record.status = Status::AtChannel;
  record.channel = &channel;
  channel.waiting.push_back(&record);
  --running;
  checkProgress();
  wait(channel, lock, generation);
  // Who has passed the entry goes on to the exit, failure or not.
  if (channel.generation == generation)
    return Entry::Failed;
  return plan.isSmall ? Entry::Over : Entry::Work;
}

void WorldState::leaveForAll(Plan &plan) {
  std::lock_guard<std::mutex> lock(mutex);
  passBarrier(*plan.channel);
}

void WorldState::leave(Plan &plan) {
  Channel &channel = *plan.channel;
  std::unique_lock<std::mutex> lock(mutex);
  if (++channel.count == channel.members.size()) {
    passBarrier(channel);
    return;
  }
  uint64_t generation = channel.generation;
  ThreadRecord &record = *current.record;
  record.status = Status::AtChannel;
  channel.waiting.push_back(&record);
  --running;
  channel.changed.wait(lock, [&] { return channel.generation != generation; });
}
