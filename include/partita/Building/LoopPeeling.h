// Takes a trip out of a counted loop.
#ifndef PARTITA_BUILDING_LOOPPEELING_H
#define PARTITA_BUILDING_LOOPPEELING_H

#include "mlir/IR/Operation.h"

namespace partita {

/// Puts a copy of the body behind `loop` as its last trip; the loop then runs
/// one trip less. The trip count is static (getStaticTripCount) and at least
/// one. Returns the copied ops in order; nothing, and no change, for a loop of
/// another form.
std::optional<llvm::SmallVector<mlir::Operation *>>
peelLastTrip(mlir::Operation *loop);

} // namespace partita

#endif
