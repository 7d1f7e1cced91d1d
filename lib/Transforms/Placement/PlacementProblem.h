// Placement as a labelling problem: a node per op, a label per strategy.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTPROBLEM_H
#define PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTPROBLEM_H

#include "OpStrategies.h"
#include "partita/Sharding/PlacementGraph.h"
#include "partita/Sharding/ReshardCosts.h"

namespace partita {

/// Collects the ops that follow a rule, prices their strategies, and chooses.
///
/// A strategy's cost is that of resharding its operands from, and its results
/// to, their propagated shardings, plus its compute. Propagated shardings are
/// kept between ops, so the nodes have no edges yet; a solver that also chooses
/// those adds edges here and nothing else changes.
class PlacementProblem {
public:
  explicit PlacementProblem(ReshardCosts &costs) : costs(costs) {}

  /// Adds the op as a node. Ops without a sharded value get none.
  void add(mlir::Operation *op, const spmd::ShardingRule &rule);
  /// Labels the graph; see lib/Sharding/PlacementGraph.h.
  void solve();
  /// The chosen strategy; null for an op without node.
  const OpStrategy *getStrategy(mlir::Operation *op) const;

private:
  double price(mlir::Operation *op, const OpContext &context,
               const OpStrategy &strategy);

  ReshardCosts &costs;
  PlacementGraph graph;
  llvm::DenseMap<mlir::Operation *, unsigned> nodes;
  std::vector<llvm::SmallVector<OpStrategy>> strategies;
  /// The cheapest label of each node by itself, the first of equals.
  std::vector<unsigned> labels;
};

} // namespace partita

#endif
