// How often the body of a counted loop runs.
#ifndef PARTITA_BUILDING_TRIPCOUNT_H
#define PARTITA_BUILDING_TRIPCOUNT_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace partita {

/// A loop that counts a carried integer by `step` to the constant `bound`, with
/// which its condition compares the counter as second operand.
struct CountedLoop {
  int64_t trips;
  int64_t bound;
  int64_t step;
};

/// Recognises such a loop; none for any other op.
std::optional<CountedLoop> matchCountedLoop(mlir::Operation *loop);

/// Trips of a loop that counts a carried integer from a constant by a constant
/// step up (or down) to a constant bound; none for any other op.
std::optional<int64_t> getStaticTripCount(mlir::Operation *loop);

} // namespace partita

#endif
