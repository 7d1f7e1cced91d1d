// The working form of a placement graph: at most one table per pair of nodes,
// finite costs, nodes that can be eliminated one after the other.
#ifndef PARTITA_LIB_SHARDING_PAIRWISEMODEL_H
#define PARTITA_LIB_SHARDING_PAIRWISEMODEL_H

#include "partita/Sharding/PlacementGraph.h"
#include <map>

namespace partita {

class PairwiseModel {
public:
  /// Infinite costs become finite ones above any sum of the others.
  explicit PairwiseModel(const PlacementGraph &graph);

  /// costs[labelNode * labels(other) + labelOther] of the entry for `other`.
  using Table = std::vector<double>;

  unsigned getNumLabels(unsigned node) const { return unary[node].size(); }
  bool isAlive(unsigned node) const { return alive[node]; }
  double getPosition(unsigned node) const { return positions[node]; }
  const std::vector<double> &getUnary(unsigned node) const {
    return unary[node];
  }
  /// Neighbours of a node with the table of each.
  const std::map<unsigned, Table> &getNeighbours(unsigned node) const {
    return tables[node];
  }

  /// Eliminates nodes of degree two or less, exactly, for as long as there are
  /// some whose tables stay within `maxTable`.
  void eliminate(size_t maxTable);
  /// Cost that elimination of whole components has fixed.
  double getConstant() const { return constant; }
  /// Labels of the eliminated nodes from those of the others.
  void complete(std::vector<unsigned> &labels) const;

  /// Sum over the nodes that are alive, without the constant.
  double getCost(llvm::ArrayRef<unsigned> labels) const;

private:
  struct Elimination {
    unsigned node;
    llvm::SmallVector<unsigned, 2> neighbours;
    /// Best label for each combination of the neighbours' labels.
    std::vector<unsigned> best;
  };
  void addTable(unsigned a, unsigned b, const Table &table);
  bool canEliminate(unsigned node, size_t maxTable) const;
  void eliminateNode(unsigned node);

  std::vector<std::vector<double>> unary;
  std::vector<double> positions;
  std::vector<std::map<unsigned, Table>> tables;
  std::vector<bool> alive;
  std::vector<Elimination> eliminations;
  double constant = 0;
};

/// What message passing found on the nodes that are alive.
struct CoreSolution {
  std::vector<unsigned> labels;
  double cost = 0;
  double lowerBound = 0;
};

/// TRW-S with greedy rounding and local search; starts also from the given
/// labellings. Ends at a gap of `tolerance` times the cost.
CoreSolution solveCore(const PairwiseModel &model,
                       llvm::ArrayRef<std::vector<unsigned>> starts,
                       unsigned maxSweeps, double tolerance);

} // namespace partita

#endif
