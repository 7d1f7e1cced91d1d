// Local search that changes most labels at once.
#ifndef PARTITA_LIB_SHARDING_CUTSEARCH_H
#define PARTITA_LIB_SHARDING_CUTSEARCH_H

#include "PairwiseModel.h"

namespace partita {

/// Keeps the labels of as few nodes as leave parts that elimination solves, and
/// takes the best labels of all others for those; then the same with other
/// nodes kept (conditioning on a cutset: Pearl 1988).
class CutSearch {
public:
  /// On the nodes `ids`, all that are alive.
  CutSearch(const PairwiseModel &model, llvm::ArrayRef<unsigned> ids)
      : model(model), ids(ids), timesKept(ids.size(), 0) {}

  /// Labels by place in `ids`; they get no worse. Ends after `maxRounds`, or
  /// some that brought nothing.
  void improve(std::vector<unsigned> &labels, unsigned maxRounds);

private:
  void relabel(std::vector<unsigned> &labels);

  const PairwiseModel &model;
  llvm::ArrayRef<unsigned> ids;
  std::vector<unsigned> timesKept;
};

} // namespace partita

#endif
