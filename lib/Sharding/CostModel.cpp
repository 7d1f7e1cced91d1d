// The ring model.
#include "partita/Sharding/CostModel.h"
#include <algorithm>

using namespace partita;

llvm::StringRef partita::stringify(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllSlice:
    return "all_slice";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::Permute:
    return "permute";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ToUnreduced:
    return "to_unreduced";
  case CollectiveKind::Exchange:
    return "exchange";
  case CollectiveKind::Broadcast:
    return "broadcast";
  }
  return "";
}

static GroupAxis getGroupAxis(const AxisAtoms &atoms, AtomId atom) {
  const MeshAxis &axis = atoms.getMesh().axes[atoms[atom].axis];
  return {atoms.getSize(atom), axis.latency, axis.bandwidth};
}

Group partita::getGroup(const AxisAtoms &atoms, llvm::ArrayRef<AtomId> list) {
  Group group;
  for (AtomId atom : list)
    group.push_back(getGroupAxis(atoms, atom));
  return group;
}

Group partita::getGroup(const AxisAtoms &atoms, AtomMask mask) {
  Group group;
  for (; mask; mask &= mask - 1)
    group.push_back(getGroupAxis(atoms, AtomId(llvm::countr_zero(mask))));
  return group;
}

double CostModel::getSentBytes(CollectiveKind kind, int64_t g,
                               double operandBytes) {
  if (g <= 1)
    return 0;
  switch (kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ToUnreduced:
    return 0;
  case CollectiveKind::AllGather:
    return operandBytes * double(g - 1);
  case CollectiveKind::AllToAll:
  case CollectiveKind::ReduceScatter:
    return operandBytes * double(g - 1) / double(g);
  case CollectiveKind::AllReduce:
    return 2 * operandBytes * double(g - 1) / double(g);
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
  case CollectiveKind::Broadcast:
    return operandBytes;
  }
  return 0;
}

/// Slowest link of the group and its largest latency.
static GroupAxis getLink(const Machine &machine, CollectiveKind kind,
                         const Group &group) {
  double usualLatency = machine.getLinkLatency(kind);
  double usualBandwidth = machine.getLinkBandwidth(kind);
  GroupAxis link{1, usualLatency, usualBandwidth};
  bool first = true;
  for (const GroupAxis &axis : group) {
    double latency = axis.latency > 0 ? axis.latency : usualLatency;
    double bandwidth = axis.bandwidth > 0 ? axis.bandwidth : usualBandwidth;
    link.latency = first ? latency : std::max(link.latency, latency);
    link.bandwidth = first ? bandwidth : std::min(link.bandwidth, bandwidth);
    first = false;
  }
  return link;
}

bool CostModel::isPermuteOfHalf(const Group &group, double operandBytes) const {
  CollectiveKind kind = CollectiveKind::AllToAll;
  return getCost(kind, group, operandBytes).seconds <
         getOwnCost(kind, group, operandBytes).seconds;
}

CollectiveCost CostModel::getCost(CollectiveKind kind, const Group &group,
                                  double operandBytes) const {
  CollectiveCost cost = getOwnCost(kind, group, operandBytes);
  if (kind != CollectiveKind::AllToAll)
    return cost;
  int64_t size = 1;
  for (const GroupAxis &axis : group)
    size *= axis.size;
  if (size != 2)
    return cost;
  CollectiveCost swap =
      getOwnCost(CollectiveKind::Permute, group, operandBytes / 2);
  return swap.seconds < cost.seconds ? swap : cost;
}

CollectiveCost CostModel::getOwnCost(CollectiveKind kind, const Group &group,
                                     double operandBytes) const {
  int64_t size = 1, hops = 0;
  for (const GroupAxis &axis : group) {
    size *= axis.size;
    hops += axis.size - 1;
  }
  CollectiveCost cost;
  if (kind == CollectiveKind::AllSlice || kind == CollectiveKind::ToUnreduced) {
    // A copy, usually fused with its neighbours.
    double result =
        kind == CollectiveKind::AllSlice ? operandBytes / size : operandBytes;
    cost.fixedSeconds = 0.1 * machine.kernelOverhead;
    cost.seconds = 2 * result / machine.memoryBandwidth + cost.fixedSeconds;
    return cost;
  }
  if (size <= 1)
    return cost;
  switch (kind) {
  case CollectiveKind::AllReduce:
    hops *= 2;
    break;
  case CollectiveKind::AllToAll:
    hops = std::max<int64_t>(1, hops / 2);
    break;
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
    hops = 1;
    break;
  default:
    break;
  }
  GroupAxis link = getLink(machine, kind, group);
  cost.sentBytes = getSentBytes(kind, size, operandBytes);
  cost.launches = 1;
  cost.fixedSeconds =
      machine.getLaunchOverhead(kind) + double(hops) * link.latency;
  cost.linkSeconds = cost.sentBytes / link.bandwidth;
  cost.seconds = cost.fixedSeconds + cost.linkSeconds;
  return cost;
}

CollectiveCost CostModel::getRoundsCost(double sentBytes, double resultBytes,
                                        int64_t rounds,
                                        const Group &group) const {
  CollectiveCost cost;
  CollectiveKind kind = CollectiveKind::Exchange;
  GroupAxis link = getLink(machine, kind, group);
  cost.sentBytes = sentBytes;
  cost.launches = rounds;
  cost.fixedSeconds =
      0.2 * machine.kernelOverhead +
      double(rounds) * (machine.getLaunchOverhead(kind) + link.latency);
  cost.linkSeconds = sentBytes / link.bandwidth;
  // Messages are packed and unpacked, unlike the operand of a permute.
  cost.seconds = 2 * (sentBytes + resultBytes) / machine.memoryBandwidth +
                 cost.fixedSeconds + cost.linkSeconds;
  return cost;
}

double CostModel::getComputeSeconds(double flops, double memoryBytes,
                                    unsigned elementBits) const {
  double peak = elementBits <= 16   ? machine.peakFlops
                : elementBits <= 32 ? machine.peakFlops32
                                    : machine.peakFlops32 / 2;
  return machine.kernelOverhead +
         std::max(flops / peak, memoryBytes / machine.memoryBandwidth);
}
