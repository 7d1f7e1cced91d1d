// What elimination leaves of a pairwise model, in the form that message passing
// and local search walk: nodes numbered in order, all sides of a node together,
// costs padded so that loops over labels take several at a time.
#ifndef PARTITA_LIB_SHARDING_COREGRAPH_H
#define PARTITA_LIB_SHARDING_COREGRAPH_H

#include "PairwiseModel.h"

namespace partita {

/// Labels are padded to a multiple of this, by some that cost kPaddingCost.
constexpr unsigned kLanes = 4;
constexpr double kPaddingCost = 1e30;
constexpr unsigned getPaddedWidth(unsigned count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

struct CoreGraph {
  /// One end of a table.
  struct Side {
    unsigned other; ///< the node at the far end
    unsigned width; ///< padded labels of that
    /// [label here * width + label there].
    const double *table;
    unsigned back; ///< the side at the far end
    unsigned pair; ///< both ends as one
    /// Where the messages from and to the other node begin, in numbers.
    size_t in, out;
  };
  /// The earlier of two nodes, and its side.
  struct Pair {
    unsigned node, side;
    double least; ///< of the table
  };

  explicit CoreGraph(const PairwiseModel &model);

  size_t size() const { return ids.size(); }
  llvm::ArrayRef<Side> getSides(unsigned node) const {
    return llvm::ArrayRef(sides).slice(firstSides[node],
                                       firstSides[node + 1] - firstSides[node]);
  }
  /// Costs of this node's labels where the far end of `side` has `label`.
  const double *getRow(const Side &side, unsigned label) const {
    const Side &far = sides[side.back];
    return far.table + label * size_t(far.width);
  }
  /// Sum over nodes and pairs.
  double getCost(llvm::ArrayRef<unsigned> labels) const;
  /// Cost of each label of `node` with its neighbours fixed, `except` left out.
  void getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                const Side *except, std::vector<double> &costs) const;

  /// By node, its number in the model; in the order of positions.
  std::vector<unsigned> ids;
  /// By node, the costs of its labels; padding follows them.
  std::vector<llvm::ArrayRef<double>> unary;
  /// Of all nodes one after the other; a node's in the order of their ends.
  std::vector<Side> sides;
  std::vector<unsigned> firstSides;
  std::vector<Pair> pairs;
  /// Numbers in all messages. Those to one node lie side by side, in the order
  /// of its sides.
  size_t messageSize = 0;

private:
  const double *copyPadded(const double *table, unsigned rows,
                           unsigned columns);

  llvm::BumpPtrAllocator allocator;
};

} // namespace partita

#endif
