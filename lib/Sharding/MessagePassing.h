// Message passing on the part of a placement graph that elimination leaves.
#ifndef PARTITA_LIB_SHARDING_MESSAGEPASSING_H
#define PARTITA_LIB_SHARDING_MESSAGEPASSING_H

#include "PairwiseModel.h"

namespace partita {

/// What message passing found on the nodes that are alive.
struct CoreSolution {
  std::vector<unsigned> labels;
  double cost = 0;
  double lowerBound = 0;
};

/// Message passing with rounding and local search, which start from `labels`.
/// Ends at a gap of `tolerance` times the cost, a little more with each sweep,
/// or where a sweep closes little of it.
CoreSolution solveCore(const PairwiseModel &model,
                       llvm::ArrayRef<unsigned> labels, unsigned maxSweeps,
                       double tolerance);

} // namespace partita

#endif
