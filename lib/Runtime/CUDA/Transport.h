// How the members of a collective move and reduce data between GPUs. Each
// function enqueues this member's part on its communication stream, all members
// being inside the rendezvous, and gives an error text or "".
#ifndef PARTITA_LIB_RUNTIME_CUDA_TRANSPORT_H
#define PARTITA_LIB_RUNTIME_CUDA_TRANSPORT_H

#include "../Collectives.h"
#include "Device.h"

namespace partita::runtime::cuda {

using Part = std::string (*)(Device &device, const Gathering &gathering);

/// All devices on one card: members read and write each other's buffers.
namespace card {
std::string allReduce(Device &device, const Gathering &g);
std::string reduceScatter(Device &device, const Gathering &g);
std::string allGather(Device &device, const Gathering &g);
std::string allToAll(Device &device, const Gathering &g);
std::string broadcast(Device &device, const Gathering &g);
std::string permute(Device &device, const Gathering &g);
std::string exchange(Device &device, const Gathering &g);
} // namespace card

/// One device a card: NCCL.
namespace nccl {
std::string allReduce(Device &device, const Gathering &g);
std::string reduceScatter(Device &device, const Gathering &g);
std::string allGather(Device &device, const Gathering &g);
std::string allToAll(Device &device, const Gathering &g);
std::string broadcast(Device &device, const Gathering &g);
std::string permute(Device &device, const Gathering &g);
std::string exchange(Device &device, const Gathering &g);
/// The communicator of the group, made when it first meets.
std::string getCommunicator(Device &device, const Gathering &g,
                            Communicator &communicator);
} // namespace nccl

/// Bytes of output `i` become zero.
std::string clearOutput(Device &device, const Plan &plan, void *const *buffers,
                        size_t i);

/// The device id of a member.
inline int64_t getMember(const Gathering &g, size_t member) {
  return g.plan.channel->members[g.plan.slots[member]];
}

inline DevicePointer getInput(const Gathering &g, size_t member, size_t i) {
  return toDevice(g.buffers(member)[i]);
}

inline DevicePointer getOutput(const Gathering &g, size_t member, size_t i) {
  return toDevice(g.buffers(member)[g.types().inputs.size() + i]);
}

} // namespace partita::runtime::cuda

#endif
