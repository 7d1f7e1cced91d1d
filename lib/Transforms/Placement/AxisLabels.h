// What may become of one mesh axis at one node, the other axes being fixed.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_AXISLABELS_H
#define PARTITA_TRANSFORMS_PLACEMENT_AXISLABELS_H

#include "PointerMap.h"
#include "ValueFlow.h"
#include <deque>

namespace partita {

/// The layouts in which the labels of a node give a result or want an operand.
struct LabelEnd {
  llvm::SmallVector<spmd::ShardingAttr, 4> distinct;
  /// By label, its layout's place in `distinct`.
  llvm::SmallVector<unsigned, 4> byLabel;

  unsigned addLayout(spmd::ShardingAttr sharding);
  spmd::ShardingAttr getLayout(unsigned label) const {
    return distinct[byLabel[label]];
  }
};

/// The labels of a node: assignments of axes to its factors, with what follows
/// from each.
struct LabelSet {
  llvm::SmallVector<FactorSharding, 4> labels;
  /// By operand and by result.
  llvm::SmallVector<LabelEnd, 2> operands, results;
  /// Of one run of the node by itself, by label: its work and what it
  /// communicates inside.
  llvm::SmallVector<double, 4> costs;
};

/// How one node is split: a label of a set.
struct Choice {
  const LabelSet *set = nullptr;
  unsigned label = 0;

  const FactorSharding &getSplit() const { return set->labels[label]; }
  spmd::ShardingAttr getOperand(unsigned index) const {
    return set->operands[index].getLayout(label);
  }
  spmd::ShardingAttr getResult(unsigned index) const {
    return set->results[index].getLayout(label);
  }
};

/// The layouts in which a node that is split in some way wants its operands and
/// gives its results.
struct NodeLayouts {
  NodeLayouts(const FlowNode &node, const FactorSharding &label);

  llvm::SmallVector<spmd::ShardingAttr, 4> operands, results;
};

/// Makes the labels of nodes and remembers them: nodes with equal rules and
/// types are of one class, and equal layers are labelled once. What it returns
/// lives as long as it does.
class LabelCache {
public:
  LabelCache(ReshardCosts &costs, const ValueFlow &flow);

  /// Nodes of one class have equal labels for equal states.
  unsigned getClass(unsigned node) const { return classes[node]; }

  /// Labels of the node that differ from `current` in `axis` alone: as it is
  /// (first), unused, most minor or most major on a factor, or partial sums
  /// over it that pass.
  /// `axis` null: only as it is.
  const LabelSet &get(unsigned node, const FactorSharding &current,
                      spmd::AxisRefAttr axis);

  /// Prices have changed: makes labels anew from now on.
  void dropCosts();

  /// Compute time of one run on one device: its arithmetic and the bytes it
  /// touches.
  double getComputeCost(const FlowNode &node, const FactorSharding &label,
                        const NodeLayouts &layouts) const;

private:
  void addLabel(LabelSet &set, const FactorSharding &label,
                const FlowNode &node) const;
  void makeLabels(LabelSet &set, const FlowNode &node,
                  const FactorSharding &current, spmd::AxisRefAttr axis) const;

  ReshardCosts &costs;
  const ValueFlow &flow;
  std::vector<unsigned> classes;
  std::deque<LabelSet> made;
  llvm::DenseMap<std::pair<unsigned, const void *>,
                 llvm::SmallVector<const LabelSet *, 2>>
      sets;
};

} // namespace partita

#endif
