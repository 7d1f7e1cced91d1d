// Finds the cheapest sequence of collectives between two layouts of one tensor
// on one mesh, with a lower bound and a certificate. Pure: emission turns the
// steps into spmd ops. See lib/Sharding/Rationale.md.
#ifndef PARTITA_SHARDING_RESHARDPLANNER_H
#define PARTITA_SHARDING_RESHARDPLANNER_H

#include "partita/Sharding/CostModel.h"
#include "partita/Sharding/Layout.h"
#include <memory>
#include <unordered_map>

namespace partita {

/// Atoms that move from the minor end of one dimension to the minor end of
/// another, as one `move` of spmd.all_to_all.
struct AtomMove {
  AtomList atoms;
  unsigned source = 0;
  unsigned target = 0;
};

/// `base + i*step : length` of spmd.exchange.
using ExchangeInterval = spmd::BlockInterval;

/// One spmd collective. Emission: pad the local operand at the tail of each
/// dimension to `operandShape` (any content), build the op, whose result has
/// `resultShape`, cut the tail of each dimension to the local shape of `after`.
/// Both shapes equal the layouts' local shapes where sizes are even.
struct ReshardStep {
  CollectiveKind kind = CollectiveKind::AllSlice;
  /// In a factorisation in which the step can be read off.
  Layout before, after;
  /// AllGather, AllSlice, ReduceScatter: gather_axes, slice_axes, scatter_axes.
  llvm::SmallVector<AtomList, 4> dimAtoms;
  /// AllToAll: the moves in order.
  llvm::SmallVector<AtomMove, 2> moves;
  /// AllReduce, ToUnreduced: the axes. Permute: `axes`. In mesh order or, for
  /// Permute, in the order of the numbering.
  AtomList atoms;
  /// Permute: `to`, the same atoms in the target order.
  AtomList targetAtoms;
  /// AllReduce, ReduceScatter, ToUnreduced.
  spmd::ReductionKind reduction = spmd::ReductionKind::Add;
  /// Exchange: one per dimension.
  llvm::SmallVector<ExchangeInterval, 4> intervals;
  Shape operandShape, resultShape;
  CollectiveCost cost;
  /// Operand and result of this step together.
  double peakBytes = 0;
};

struct ReshardPlan {
  llvm::SmallVector<ReshardStep, 2> steps;
  double sentBytes = 0;
  double seconds = 0;
  /// Of the seconds, what the bytes take on the links.
  double linkSeconds = 0;
  int64_t launches = 0;
  /// No plan sends less (bytes), and none is faster (seconds).
  double bound = 0;
  double boundSeconds = 0;
  /// Largest sum of operand and result of a step.
  double peakBytes = 0;
  /// No plan of these collectives over the axes of both layouts and at most two
  /// others is cheaper in the objective.
  bool optimal = false;
  /// False when the memory limit admits no plan; then there are no steps and
  /// `peakBytes` is the smallest peak of any plan found.
  bool feasible = true;
  /// `optimal(bytes)`, `optimal(time, tpu-v5e)`, `gap(1.25 x bound)` or
  /// `infeasible`.
  std::string certificate() const { return certificateText; }
  std::string certificateText;

  CollectiveCost getCost() const { return {sentBytes, seconds, launches}; }
};

struct ReshardOptions {
  Machine machine = getMachines().front();
  Objective objective = Objective::Bytes;
  /// Largest sum of operand and result of any step, in bytes; 0: no limit.
  double memoryLimit = 0;
  /// Layouts that the exhaustive search may consider.
  unsigned maxStates = 2000;
  /// Work that the exhaustive search may do, one is about ten nanoseconds;
  /// where it does not suffice, the plan is the best found and not `optimal`.
  size_t maxWork = 50000;
};

/// Plans reshards on one mesh and remembers them. Not thread-safe.
class ReshardPlanner {
public:
  explicit ReshardPlanner(AxisAtoms atoms, ReshardOptions options = {});
  ~ReshardPlanner();
  ReshardPlanner(ReshardPlanner &&) noexcept;

  /// Plan for a tensor of global `shape` whose elements have `elementBits`.
  /// The layouts must be valid for the shape's rank. The reference stays valid
  /// as long as the planner lives.
  const ReshardPlan &plan(const Layout &from, const Layout &to,
                          llvm::ArrayRef<int64_t> shape, unsigned elementBits);

  /// What a reshard costs, for choosing layouts: under `bytes` that of its
  /// plan, under `time` the least among the usual plans, which no proof
  /// accompanies. The plan itself is never slower.
  struct Price {
    double seconds = 0, sentBytes = 0;
    /// Of the seconds, what the bytes take on the links.
    double linkSeconds = 0;
    bool feasible = true;
  };
  Price price(const Layout &from, const Layout &to,
              llvm::ArrayRef<int64_t> shape, unsigned elementBits);

  /// The one collective that leads from one layout to the other, if there is
  /// one besides Exchange; Exchange otherwise. Nothing when neither can.
  std::optional<ReshardStep> getSingleStep(const Layout &from, const Layout &to,
                                           llvm::ArrayRef<int64_t> shape,
                                           unsigned elementBits) const;

  const AxisAtoms &getAtoms() const;
  const CostModel &getCostModel() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace partita

#endif
