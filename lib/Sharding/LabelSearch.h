// Local search on the part of a placement graph that elimination leaves.
#ifndef PARTITA_LIB_SHARDING_LABELSEARCH_H
#define PARTITA_LIB_SHARDING_LABELSEARCH_H

#include "CoreGraph.h"

namespace partita {

/// Improves labels by changes of single nodes and of pairs.
class LabelSearch {
public:
  explicit LabelSearch(const CoreGraph &graph) : graph(graph) {}

  /// Single nodes until none improves, then each pair near a change once; again
  /// while pairs improve. Only what lies beside a change is looked at again,
  /// also of what the last labels that were improved differ in: elsewhere those
  /// can't be improved.
  void improve(std::vector<unsigned> &labels);

private:
  void queueChanges(llvm::ArrayRef<unsigned> labels);
  void touch(unsigned node);
  bool improveNode(std::vector<unsigned> &labels, unsigned node);
  bool improvePair(std::vector<unsigned> &labels, const CoreGraph::Pair &pair);

  const CoreGraph &graph;
  /// The last labels that no change of a node or a pair improves; none: empty.
  std::vector<unsigned> settled;
  std::vector<unsigned> queue;
  std::vector<bool> isQueued;
  /// Pairs to look at.
  std::vector<bool> isDue;
  std::vector<double> costsA, costsB;
};

} // namespace partita

#endif
