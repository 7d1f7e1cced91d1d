// The labelling problem of placement: one label per node, a cost per label and
// a cost matrix per edge; least sum wins. Knows nothing of shardings.
#ifndef PARTITA_SHARDING_PLACEMENTGRAPH_H
#define PARTITA_SHARDING_PLACEMENTGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <limits>
#include <vector>

namespace partita {

/// Cost of a forbidden label or pair.
constexpr double infiniteCost = std::numeric_limits<double>::infinity();

struct PlacementNode {
  /// Cost of each label; at least one label.
  llvm::SmallVector<double, 4> costs;
};

struct PlacementEdge {
  unsigned a = 0, b = 0;
  /// Row-major: costs[labelA * labels(b) + labelB].
  std::vector<double> costs;
};

struct PlacementGraph {
  std::vector<PlacementNode> nodes;
  std::vector<PlacementEdge> edges;

  unsigned addNode(llvm::ArrayRef<double> costs) {
    nodes.push_back({{costs.begin(), costs.end()}});
    return static_cast<unsigned>(nodes.size()) - 1;
  }
  /// Several edges between two nodes add up. Costs count `weight` times.
  void addEdge(unsigned a, unsigned b, llvm::ArrayRef<double> costs,
               double weight = 1) {
    edges.push_back({a, b, {costs.begin(), costs.end()}});
    if (weight != 1)
      for (double &cost : edges.back().costs)
        cost *= weight;
  }
  unsigned getNumLabels(unsigned node) const {
    return nodes[node].costs.size();
  }
  /// Sum for a labelling.
  double getCost(llvm::ArrayRef<unsigned> labels) const;
};

struct PlacementOptions {
  /// Labelling of the baseline plan; the answer is never worse. Empty: label 0
  /// everywhere.
  std::vector<unsigned> baseline;
  /// Largest table that exact elimination may build, in entries.
  size_t maxTable = 4096;
  /// Sweeps of message passing on what elimination leaves.
  unsigned maxSweeps = 50;
  /// Gap between cost and bound, as a share of the cost, that is good enough.
  double tolerance = 1e-9;
};

struct PlacementSolution {
  std::vector<unsigned> labels;
  double cost = 0;
  /// No labelling costs less.
  double lowerBound = 0;
  bool isOptimal() const { return cost <= lowerBound * (1 + 1e-9) + 1e-12; }
};

/// Labels the graph: exactly where eliminating nodes keeps tables small (trees,
/// series-parallel parts), by message passing and local search on the rest.
PlacementSolution solve(const PlacementGraph &graph,
                        const PlacementOptions &options = {});

} // namespace partita

#endif
