// What communication and computation cost on a machine: bytes in the ring
// model, launches and seconds. One table for the planner, placement and
// remarks.
#ifndef PARTITA_SHARDING_COSTMODEL_H
#define PARTITA_SHARDING_COSTMODEL_H

#include "partita/Sharding/AxisAtoms.h"
#include "partita/Sharding/Machine.h"

namespace partita {

/// What a plan minimises. Ties are broken by the other one.
enum class Objective { Time, Bytes };

/// Cost of one or several collectives.
struct CollectiveCost {
  double sentBytes = 0; ///< ring model, maximum over devices
  double seconds = 0;
  int64_t launches = 0;
  /// Of the seconds, what launches and hops take: the rest grows with the
  /// bytes.
  double fixedSeconds = 0;
  /// Of the seconds, what the bytes take on the links.
  double linkSeconds = 0;
  CollectiveCost &operator+=(const CollectiveCost &other) {
    sentBytes += other.sentBytes;
    seconds += other.seconds;
    fixedSeconds += other.fixedSeconds;
    linkSeconds += other.linkSeconds;
    launches += other.launches;
    return *this;
  }
  friend CollectiveCost operator+(CollectiveCost a, const CollectiveCost &b) {
    return a += b;
  }
};

/// The axes (or parts of axes) along which a collective runs: the size of each
/// and its link.
struct GroupAxis {
  int64_t size = 1;
  double latency = 0;
  double bandwidth = 0;
};
using Group = llvm::SmallVector<GroupAxis, 4>;

/// Group of the atoms.
Group getGroup(const AxisAtoms &atoms, llvm::ArrayRef<AtomId> list);
Group getGroup(const AxisAtoms &atoms, AtomMask mask);

class CostModel {
public:
  explicit CostModel(Machine machine, Objective objective = Objective::Time)
      : machine(std::move(machine)), objective(objective) {}

  const Machine &getMachine() const { return machine; }
  Objective getObjective() const { return objective; }

  /// Cost of one collective whose operand buffer has `operandBytes` per device
  /// (as the op gets it, padding included). Exchange is priced as a permute
  /// here; see ExchangeSchedule for the real one.
  CollectiveCost getCost(CollectiveKind kind, const Group &group,
                         double operandBytes) const;

  /// True if an all_to_all of the group is between two devices and costs more
  /// than the permute that it is as well, of the half that each device gives
  /// away. Its cost is that of the permute then.
  bool isPermuteOfHalf(const Group &group, double operandBytes) const;

  /// Bytes that one device sends, ring model.
  static double getSentBytes(CollectiveKind kind, int64_t groupSize,
                             double operandBytes);

  /// Point-to-point rounds: each costs a launch and a hop, all together the
  /// bytes of the busiest device; the result is put together from the messages.
  CollectiveCost getRoundsCost(double sentBytes, double resultBytes,
                               int64_t rounds, const Group &group) const;

  /// Roofline: the larger of arithmetic and memory time, plus one launch.
  double getComputeSeconds(double flops, double memoryBytes,
                           unsigned elementBits = 16) const;

  /// The number to minimise first, by objective.
  double getPrimary(const CollectiveCost &cost) const {
    return objective == Objective::Time ? cost.seconds : cost.sentBytes;
  }
  double getSecondary(const CollectiveCost &cost) const {
    return objective == Objective::Time ? cost.sentBytes : cost.seconds;
  }

private:
  /// As the figures of the kind say.
  CollectiveCost getOwnCost(CollectiveKind kind, const Group &group,
                            double operandBytes) const;

  Machine machine;
  Objective objective;
};

} // namespace partita

#endif
