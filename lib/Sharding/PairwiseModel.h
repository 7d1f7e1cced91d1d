// The working form of a placement graph: at most one table per pair of nodes,
// finite costs, nodes that can be eliminated one after the other.
#ifndef PARTITA_LIB_SHARDING_PAIRWISEMODEL_H
#define PARTITA_LIB_SHARDING_PAIRWISEMODEL_H

#include "partita/Sharding/PlacementGraph.h"
#include "llvm/Support/Allocator.h"

namespace partita {

class PairwiseModel {
public:
  /// Infinite costs become finite ones above any sum of the others.
  explicit PairwiseModel(const PlacementGraph &graph);
  /// The nodes `ids` of another model, all that are alive there, renumbered.
  /// Tables stay its own.
  PairwiseModel(const PairwiseModel &other, llvm::ArrayRef<unsigned> ids);

  /// A node at the other end of a table. Tables never change, so that edges of
  /// equal costs share one.
  struct Neighbour {
    unsigned node;
    /// [label here * labels(node) + label there], and the other way round.
    const double *table, *transposed;
  };

  size_t size() const { return unary.size(); }
  unsigned getNumLabels(unsigned node) const { return unary[node].size(); }
  bool isAlive(unsigned node) const { return alive[node]; }
  double getPosition(unsigned node) const { return positions[node]; }
  llvm::ArrayRef<double> getUnary(unsigned node) const { return unary[node]; }
  llvm::ArrayRef<Neighbour> getNeighbours(unsigned node) const {
    return neighbours[node];
  }

  /// Eliminates nodes of degree two or less, exactly, for as long as there are
  /// some whose tables stay within `maxTable`.
  void eliminate(size_t maxTable);
  /// Takes out a node that has `label`.
  void fix(unsigned node, unsigned label);
  /// Cost that elimination of whole components has fixed.
  double getConstant() const { return constant; }
  /// Labels of the eliminated nodes from those of the others.
  void complete(std::vector<unsigned> &labels) const;

private:
  /// A node with what it was joined to when it went.
  struct Elimination {
    unsigned node;
    llvm::SmallVector<Neighbour, 2> sides;
  };
  double *allocate(size_t count) { return allocator.Allocate<double>(count); }
  const double *transpose(const double *table, size_t rows, size_t columns);
  const double *add(const double *a, const double *b, size_t count);
  void connect(unsigned a, unsigned b, const double *table,
               const double *transposed);
  void disconnect(unsigned node, unsigned other);
  bool canEliminate(unsigned node, size_t maxTable) const;
  void eliminateNode(unsigned node);

  llvm::BumpPtrAllocator allocator;
  std::vector<llvm::MutableArrayRef<double>> unary;
  std::vector<double> positions;
  std::vector<llvm::SmallVector<Neighbour, 3>> neighbours;
  std::vector<bool> alive;
  std::vector<Elimination> eliminations;
  /// Nodes that elimination has not looked at since their degree fell.
  std::vector<unsigned> changed;
  double constant = 0;
};

} // namespace partita

#endif
