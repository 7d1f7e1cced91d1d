// What all collectives share: plans per op id, and the walk through a
// rendezvous.
#ifndef PARTITA_LIB_RUNTIME_COLLECTIVES_H
#define PARTITA_LIB_RUNTIME_COLLECTIVES_H

#include "WorldState.h"

namespace partita::runtime {

/// A collective while all members are inside: their buffers can be read.
struct Gathering {
  partita_context *context;
  Plan &plan;
  /// One thread does the work of all members, one after the other.
  bool isForAll = false;

  size_t size() const { return plan.slots.size(); }
  size_t position() const { return plan.position; }
  const Descriptor &types() const { return plan.descriptor; }
  void *const *buffers(size_t member) const {
    return plan.channel->slots[plan.slots[member]].buffers;
  }
  const char *input(size_t member, size_t i) const {
    return static_cast<const char *>(buffers(member)[i]);
  }
  char *output(size_t member, size_t i) const {
    return static_cast<char *>(buffers(member)[types().inputs.size() + i]);
  }
};

/// Members of the group of `device` by a table of groups; none if it is in
/// none. Reads the table from the descriptor.
std::string readGroups(Descriptor &descriptor, int64_t device,
                       std::vector<int64_t> &members);

/// Devices linked with `device` by the pairs, ascending; none if in no pair.
std::vector<int64_t>
findLinked(const std::vector<std::pair<int64_t, int64_t>> &pairs,
           int64_t device);

/// The parts of a collective; all are plain functions.
struct Collective {
  const char *name;
  /// Fills members and plan.rest, checks the types; an error text or "".
  std::string (*prepare)(Plan &plan, int64_t device,
                         std::vector<int64_t> &members);
  /// Copies and reduces; all members are inside.
  void (*work)(const Gathering &gathering);
  /// For a device that takes no part; may be null.
  void (*idle)(const Plan &plan, void *const *buffers);
  /// Any thread may do the work of every member. Not where a device's thread
  /// owns its stream or communicator.
  bool onAnyThread = false;
};

void runCollective(const Collective &collective, partita_context *context,
                   const int64_t *words, void *const *buffers);

/// The CPU's collectives; other transports share their checks.
extern const Collective collective_all_reduce, collective_all_gather,
    collective_reduce_scatter, collective_all_to_all, collective_broadcast,
    collective_permute, collective_exchange, collective_ragged_all_to_all;

#define PARTITA_COLLECTIVE(name, prepare, work, idle)                          \
  const partita::runtime::Collective partita::runtime::collective_##name{      \
      #name, prepare, work, idle, /*onAnyThread=*/true};                       \
  void partita_##name(partita_context *context, const int64_t *descriptor,     \
                      void *const *buffers) {                                  \
    partita::runtime::runCollective(partita::runtime::collective_##name,       \
                                    context, descriptor, buffers);             \
  }

} // namespace partita::runtime

#endif
