// Placement as a labelling problem: a node per op, a label per way to split it.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTPROBLEM_H
#define PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTPROBLEM_H

#include "AxisGraph.h"
#include <deque>
#include <map>

namespace partita {

/// Chooses how each node is split.
///
/// Starts from the strategies that propagated shardings suggest, then takes one
/// axis after the other: all nodes choose anew what becomes of that axis,
/// jointly, by lib/Sharding/PlacementGraph.h, until no axis lowers the cost.
/// Then the same with parts of an axis, where that pays, and in small modules
/// with the axes in the opposite order. A value with
/// several uses has a node of its own, whose label is one more layout in which
/// it is kept, so that a reshard that serves several uses is paid once. A plan
/// that sends more bytes than the start is made again as if links were slower;
/// in small modules one made so stands too if it sends less and loses no more
/// than a few launches. One that needs much more memory than the start is made
/// again as if memory had a price.
class PlacementProblem {
public:
  /// `memoryPrice` is what a byte costs that lives as long as the program, in
  /// the unit of `costs`. `hasLimit`: whoever sets the price watches the peak.
  PlacementProblem(ReshardCosts &costs, const ValueFlow &flow,
                   double memoryPrice, bool hasLimit);

  void solve();

  /// Of the plan, its memory included.
  double getCost() const { return cost; }
  spmd::ShardingAttr getOperand(unsigned node, unsigned index) const {
    return states[node].getOperand(index);
  }
  spmd::ShardingAttr getResult(unsigned node, unsigned index) const {
    return states[node].getResult(index);
  }
  /// The layout in which a value is computed, and the one that a use wants.
  spmd::ShardingAttr getSource(const FlowValue &value) const {
    return value.node < 0 ? value.given : getResult(value.node, value.index);
  }
  spmd::ShardingAttr getWanted(const FlowUse &use) const {
    return use.node < 0 ? use.given : getOperand(use.node, use.index);
  }
  /// How the node is split.
  const FactorSharding &getSplit(unsigned node) const {
    return states[node].getSplit();
  }
  /// A layout in which a value is kept besides the one it is computed in, from
  /// which uses are served; null: none.
  spmd::ShardingAttr getKept(mlir::Value value) const {
    return kept.lookup(value);
  }

private:
  Choice makeStart(unsigned node);
  double getStartCost(const FlowNode &node, const FactorSharding &label);
  using Axis = std::pair<spmd::AxisRefAttr, mlir::FlatSymbolRefAttr>;
  struct Plan {
    std::vector<Choice> states;
    llvm::DenseMap<mlir::Value, spmd::ShardingAttr> kept;
    double cost;
    /// What it sends and needs, and how long it takes; where that was counted.
    double bytes = 0, peak = 0, seconds = 0;
  };
  double count(Objective objective);
  Plan measure();
  void setLinkShare(double share);
  void tryShare(double share, llvm::ArrayRef<Axis> axes, const Plan &start);
  void choose(llvm::ArrayRef<Axis> axes, const Plan &start);
  void tryAll(llvm::ArrayRef<Axis> axes);
  void saveBytes(llvm::ArrayRef<Axis> axes, const Plan &start);
  void saveMemory(llvm::ArrayRef<Axis> axes, const Plan &start);
  void setPlan(const Plan &plan);
  void settle(llvm::ArrayRef<Axis> axes);
  void tryReversed(llvm::ArrayRef<Axis> axes, const Plan &start);
  void trySplitting(Axis axis);
  bool improve(Axis axis, unsigned maxSweeps, double tolerance);

  ReshardCosts &costs;
  const ValueFlow &flow;
  double memoryPrice;
  bool hasLimit;
  LabelCache labelCache;
  std::unique_ptr<UseCostCache> useCosts;
  /// That labels and costs of uses are made for.
  double linkShare = 1;
  /// What was made from the start, by the share of links.
  std::map<double, Plan> byShare;
  /// By node.
  std::vector<Choice> states;
  PointerMap<Choice> knownStarts;
  llvm::DenseMap<mlir::Value, spmd::ShardingAttr> kept;
  /// Of the plan, as the last graph counted it.
  double cost = infiniteCost;
};

} // namespace partita

#endif
