// The labelling graph of one axis.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_AXISGRAPH_H
#define PARTITA_TRANSFORMS_PLACEMENT_AXISGRAPH_H

#include "AxisLabels.h"
#include "partita/Sharding/PlacementGraph.h"
#include <deque>

namespace partita {

/// What the uses of one value cost by the labels of the node that gives it and
/// of those that want it.
struct UseCosts {
  /// One use: a matrix, labels of the giver by labels of the user. Where one
  /// side is given, it has one row or column. Several: rows are pairs of a
  /// layout of the giver and one more that is kept; `making` is what a row
  /// costs by itself.
  std::vector<double> making;
  std::vector<std::vector<double>> matrices;
  /// From labels of the giver to rows: infinite where the layout differs.
  std::vector<double> rows;
  /// By row, the layout that is kept besides (null: none).
  llvm::SmallVector<spmd::ShardingAttr, 8> kept;
  /// The best row where every node has its first label.
  unsigned baselineRow = 0;
};

/// Prices uses and remembers them by the layouts on both sides, so that equal
/// layers are priced once.
class UseCostCache {
public:
  explicit UseCostCache(ReshardCosts &costs) : costs(&costs) {}
  const UseCosts &get(const FlowValue &value, const LabelEnd &source,
                      llvm::ArrayRef<const LabelEnd *> uses);
  double getLocalBytes(const FlowValue &value,
                       spmd::ShardingAttr layout) const {
    return costs->getLocalBytes(layout, value.type);
  }

private:
  void priceOne(UseCosts &result, const FlowValue &value,
                const LabelEnd &source, const LabelEnd &use);
  void priceSeveral(UseCosts &result, const FlowValue &value,
                    const LabelEnd &source,
                    llvm::ArrayRef<const LabelEnd *> uses);
  llvm::SmallVector<double>
  getCosts(const FlowValue &value, llvm::ArrayRef<spmd::ShardingAttr> sources,
           llvm::ArrayRef<spmd::ShardingAttr> targets);
  double getCost(const FlowValue &value, spmd::ShardingAttr from,
                 spmd::ShardingAttr to) {
    return costs->getReshardCost(from, to, value.type, value.manualAxes);
  }

  ReshardCosts *costs;
  /// By the value's type and manual axes, then both sides.
  PointerMap<std::unique_ptr<UseCosts>> known;
};

/// Builds the graph of nodes, values and uses for given labels. Graph node i is
/// flow node i; values with several uses follow.
class AxisGraph {
public:
  /// `memoryPrice` is what a byte costs that lives as long as the program.
  AxisGraph(UseCostCache &cache, const ValueFlow &flow,
            llvm::ArrayRef<const LabelSet *> labels, double memoryPrice)
      : cache(cache), flow(flow), labels(labels), memoryPrice(memoryPrice) {}

  void build();

  PlacementGraph graph;
  /// Label 0 everywhere, values kept as is best then.
  std::vector<unsigned> baseline;
  /// Of the graph nodes after the flow nodes.
  struct KeptValue {
    unsigned value;
    const UseCosts *costs;
  };
  std::vector<KeptValue> keptValues;

private:
  const LabelEnd &getGiven(spmd::ShardingAttr sharding);
  unsigned getMatrix(llvm::ArrayRef<double> costs);
  void addValue(const FlowValue &value, unsigned index);
  double getMemoryCost(const FlowValue &value, spmd::ShardingAttr layout,
                       double life) const;
  void addMemoryCosts(const FlowValue &value);
  std::vector<double> addTransients(const FlowValue &value,
                                    const LabelEnd &source, const LabelEnd &use,
                                    llvm::ArrayRef<double> matrix) const;

  UseCostCache &cache;
  const ValueFlow &flow;
  llvm::ArrayRef<const LabelSet *> labels;
  double memoryPrice;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<LabelEnd>> given;
  /// Numbers of the graph's matrices, by the address of the costs that were
  /// copied and by a hash of their values.
  llvm::DenseMap<const double *, unsigned> matrices;
  llvm::DenseMap<uint64_t, llvm::SmallVector<unsigned, 1>> byHash;
  std::deque<std::vector<double>> withTransients;
};

} // namespace partita

#endif
