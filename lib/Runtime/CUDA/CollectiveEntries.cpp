// Collectives of ABI.h on GPUs.
//
// Device threads meet on the host, as for the CPU's collectives, with the same
// checks. Inside, each enqueues its part on its communication stream. On one
// card, where members touch each other's buffers, a member's stream first waits
// until all members' buffers are ready, and afterwards until all members have
// read and written. All events that a stream waits for were recorded before the
// wait was enqueued, so streams can't wait in a circle.
#include "Entries.h"
#include "Kernels.h"
#include "Transport.h"

using namespace partita::runtime;
using namespace partita::runtime::cuda;

std::string partita::runtime::cuda::clearOutput(Device &device,
                                                const Plan &plan,
                                                void *const *buffers,
                                                size_t i) {
  const Descriptor &d = plan.descriptor;
  if (size_t bytes = size_t(d.outputs[i].getBytes()))
    PARTITA_CUDA(cuMemsetD8Async, toDevice(buffers[d.inputs.size() + i]), 0,
                 bytes, device.communication);
  return "";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The communication stream follows the program; others may wait for this
/// member.
static std::string begin(Device &device) {
  device.error.clear();
  device.pending.clear();
  if (!device.isStarting)
    if (std::string error = device.order(device.compute, device.communication);
        !error.empty())
      return error;
  device.published = {device.takeEvent(), device.takeEvent()};
  PARTITA_CUDA(cuEventRecord, device.published.ready, device.communication);
  return "";
}

/// Waits for the members' parts; then the program follows.
static std::string finish(Device &device) {
  if (!device.error.empty())
    return device.error;
  for (Event event : device.pending)
    PARTITA_CUDA(cuStreamWaitEvent, device.communication, event, 0);
  return device.isStarting ? ""
                           : device.order(device.communication, device.compute);
}

static std::string runPart(Device &device, const Gathering &g, Part part) {
  auto forPeers = [&](auto visit) -> std::string {
    for (size_t m = 0; m < g.size() && !device.fleet->usesNccl; ++m)
      if (m != g.position())
        if (std::string error =
                visit(device.fleet->devices[getMember(g, m)]->published);
            !error.empty())
          return error;
    return "";
  };
  std::string error = forPeers([&](const Published &peer) -> std::string {
    PARTITA_CUDA(cuStreamWaitEvent, device.communication, peer.ready, 0);
    return "";
  });
  if (error.empty())
    error = part(device, g);
  if (!error.empty())
    return error;
  PARTITA_CUDA(cuEventRecord, device.published.done, device.communication);
  return forPeers([&](const Published &peer) -> std::string {
    device.pending.push_back(peer.done);
    return "";
  });
}

static void run(partita_context *context, const Collective &collective,
                const int64_t *words, void *const *buffers) {
  runOnDevice(context, collective.name, begin);
  runCollective(collective, context, words, buffers);
  runOnDevice(context, collective.name, finish);
}

/// What a device does that takes no part.
static void clearOutputs(const Plan &plan, void *const *buffers) {
  for (size_t i = 0;
       i < plan.descriptor.outputs.size() && currentDevice->error.empty(); ++i)
    currentDevice->error = clearOutput(*currentDevice, plan, buffers, i);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Whether our kernels or NCCL reduce as the descriptor asks.
static bool hasDeviceReduction(const int64_t *words) {
  Descriptor d(words);
  int64_t groups = d.next(), size = d.next();
  d.nextItems(groups * size);
  auto kind = partita_reduction(d.next());
  bool has = d.isValid();
  for (const BufferType &type : d.inputs)
    has &= hasReduction(kind, type.dtype);
  return has;
}

#define PARTITA_DEVICE_COLLECTIVE(which, part, onNccl, idle, condition)        \
  void partita::runtime::cuda::cuda_##which(                                   \
      partita_context *context, const int64_t *words, void *const *buffers) {  \
    static const Collective collective{                                        \
        collective_##which.name, collective_##which.prepare,                   \
        [](const Gathering &g) {                                               \
          currentDevice->error =                                               \
              runPart(*currentDevice, g,                                       \
                      currentDevice->fleet->usesNccl ? onNccl : card::part);   \
        },                                                                     \
        idle};                                                                 \
    bool isOnDevice = condition;                                               \
    if (isOnDevice)                                                            \
      run(context, collective, words, buffers);                                \
    else                                                                       \
      runOnHost(context, partita_##which, #which, words, buffers);             \
  }

PARTITA_DEVICE_COLLECTIVE(all_reduce, allReduce, nccl::allReduce, nullptr,
                          hasDeviceReduction(words))
PARTITA_DEVICE_COLLECTIVE(reduce_scatter, reduceScatter, nccl::reduceScatter,
                          nullptr, hasDeviceReduction(words))
PARTITA_DEVICE_COLLECTIVE(all_gather, allGather, nccl::allGather, nullptr, true)
PARTITA_DEVICE_COLLECTIVE(all_to_all, allToAll, nccl::allToAll, nullptr, true)
PARTITA_DEVICE_COLLECTIVE(broadcast, broadcast, nccl::broadcast, nullptr, true)
PARTITA_DEVICE_COLLECTIVE(permute, permute, nccl::permute, clearOutputs, true)
PARTITA_DEVICE_COLLECTIVE(exchange, exchange, nccl::exchange, clearOutputs,
                          true)

void partita::runtime::cuda::cuda_ragged_all_to_all(partita_context *context,
                                                    const int64_t *words,
                                                    void *const *buffers) {
  runOnHost(context, partita_ragged_all_to_all, "ragged_all_to_all", words,
            buffers);
}

//===----------------------------------------------------------------------===//
// Start and done
//===----------------------------------------------------------------------===//

void partita::runtime::cuda::cuda_start(partita_context *context,
                                        EntryFunction function,
                                        const int64_t *words,
                                        void *const *buffers) {
  runOnDevice(context, "start", [&](Device &device) {
    device.isStarting = true;
    return device.order(device.compute, device.communication);
  });
  function(context, words, buffers);
  runOnDevice(context, "start", [&](Device &device) -> std::string {
    device.isStarting = false;
    Event event;
    if (device.idleEvents.empty()) {
      PARTITA_CUDA(cuEventCreate, &event, kEventDisableTiming);
    } else {
      event = device.idleEvents.back();
      device.idleEvents.pop_back();
    }
    device.started.push_back({words[0], event});
    PARTITA_CUDA(cuEventRecord, event, device.communication);
    return "";
  });
}

void partita::runtime::cuda::cuda_done(partita_context *context, int64_t opId) {
  runOnDevice(context, "done", [&](Device &device) -> std::string {
    auto op = device.started.begin();
    while (op != device.started.end() && op->opId != opId)
      ++op;
    if (op == device.started.end())
      return "op " + std::to_string(opId) + " is done but was not started";
    PARTITA_CUDA(cuStreamWaitEvent, device.compute, op->finished, 0);
    device.idleEvents.push_back(op->finished);
    device.started.erase(op);
    return "";
  });
}
