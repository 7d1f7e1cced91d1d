// Makes two nested loops of a counted one.
#ifndef PARTITA_BUILDING_LOOPBLOCKING_H
#define PARTITA_BUILDING_LOOPBLOCKING_H

#include "mlir/IR/Operation.h"

namespace partita {

struct BlockedLoop {
  mlir::Operation *inner;
  /// Null if the inner loop runs once.
  mlir::Operation *outer;
};

/// Turns `loop`, whose trip count is static (getStaticTripCount), into one that
/// runs its body in blocks of `trips` trips: an inner loop in an outer one, and
/// behind them a loop of the trips that are left over. Loops that would run
/// once only, or not at all, are not made. `trips` is at least one and at most
/// the trip count.
///
/// The body of the inner loop is the old one. Both loops carry what `loop` did,
/// then their own counter. Nothing, and no change, for a loop of another form.
std::optional<BlockedLoop> blockLoop(mlir::Operation *loop, int64_t trips);

} // namespace partita

#endif
