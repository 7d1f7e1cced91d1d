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

/// Equal costs have equal hashes.
uint64_t hashCosts(llvm::ArrayRef<double> costs);

struct PlacementNode {
  /// Cost of each label; at least one label.
  llvm::SmallVector<double, 8> costs;
  /// Message passing takes nodes in this order. It is fast where neighbours
  /// are near, as in the order of a program.
  double position = 0;
};

struct PlacementEdge {
  unsigned a = 0, b = 0;
  /// Index of its costs, which count `weight` times.
  unsigned matrix = 0;
  double weight = 1;
};

struct PlacementGraph {
  std::vector<PlacementNode> nodes;
  std::vector<PlacementEdge> edges;
  /// Row-major: matrix[labelA * labels(b) + labelB].
  std::vector<std::vector<double>> matrices;

  unsigned addNode(llvm::ArrayRef<double> costs) {
    return addNode(costs, static_cast<double>(nodes.size()));
  }
  unsigned addNode(llvm::ArrayRef<double> costs, double position) {
    nodes.push_back({{costs.begin(), costs.end()}, position});
    return static_cast<unsigned>(nodes.size()) - 1;
  }
  /// Costs that several edges may share.
  unsigned addMatrix(llvm::ArrayRef<double> costs) {
    matrices.emplace_back(costs.begin(), costs.end());
    return static_cast<unsigned>(matrices.size()) - 1;
  }
  /// Several edges between two nodes add up. Costs count `weight` times.
  void connect(unsigned a, unsigned b, unsigned matrix, double weight = 1) {
    edges.push_back({a, b, matrix, weight});
  }
  /// The same with costs of its own.
  void addEdge(unsigned a, unsigned b, llvm::ArrayRef<double> costs,
               double weight = 1) {
    connect(a, b, addMatrix(costs), weight);
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
  /// Solves nodes as one whose surroundings are equal so many edges far, where
  /// that halves the graph; the bound is 0 then. 0: never.
  unsigned mergeDepth = 0;
};

struct PlacementSolution {
  std::vector<unsigned> labels;
  double cost = 0;
  /// No labelling costs less.
  double lowerBound = 0;
  bool isOptimal() const { return cost <= lowerBound * (1 + 1e-9) + 1e-12; }
};

/// Labels the graph: exactly where eliminating nodes keeps tables small (trees,
/// series-parallel parts), by message passing and local search on the rest;
/// with `mergeDepth`, equal parts once.
PlacementSolution solve(const PlacementGraph &graph,
                        const PlacementOptions &options = {});

} // namespace partita

#endif
