// The strategies of one op with what each would cost in the chosen plan.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_STRATEGYPRICES_H
#define PARTITA_TRANSFORMS_PLACEMENT_STRATEGYPRICES_H

#include "PlacementProblem.h"
#include "partita/Transforms/Placement/PlacementObserver.h"

namespace partita {

struct PricedOp {
  mlir::Operation *op;
  llvm::SmallVector<SplitStrategy> strategies; ///< cheapest first
};

/// The strategies of the ops that `observer` wants to know about: what the
/// shardings around an op suggest, and what differs from the choice in one mesh
/// axis.
std::vector<PricedOp> priceStrategies(ReshardCosts &costs,
                                      const ValueFlow &flow,
                                      const PlacementProblem &problem,
                                      PlacementObserver &observer);

} // namespace partita

#endif
