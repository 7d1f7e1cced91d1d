// Realises an exchange: which device sends which box to which, and in which
// rounds, so that no device sends or receives twice in a round. The same
// schedule prices the exchange and tells how to emit it.
#ifndef PARTITA_SHARDING_EXCHANGESCHEDULE_H
#define PARTITA_SHARDING_EXCHANGESCHEDULE_H

#include "partita/Sharding/ReshardPlanner.h"

namespace partita {

/// One message: global indices `box` of the input go from one mesh position to
/// another. Never to itself.
struct Transfer {
  int64_t source = 0;
  int64_t target = 0;
  llvm::SmallVector<IndexInterval, 4> box;
  int64_t elements = 0;
};

struct ExchangeSchedule {
  /// Every round is a partial permutation of the mesh positions.
  llvm::SmallVector<llvm::SmallVector<Transfer, 0>, 4> rounds;
  /// Largest number of elements that a device sends in all rounds.
  int64_t sentElements = 0;
  /// Largest number of elements that a device receives in all rounds.
  int64_t receivedElements = 0;
};

/// Schedule of an spmd.exchange of a tensor of global shape `fromShape` laid
/// out as `from`; the device with block index i over `to` reads `intervals`.
/// Neither layout has unreduced atoms. All mesh positions are listed, so the
/// result grows with the mesh.
ExchangeSchedule scheduleExchange(const AxisAtoms &atoms, const Layout &from,
                                  const Layout &to,
                                  llvm::ArrayRef<int64_t> fromShape,
                                  llvm::ArrayRef<ExchangeInterval> intervals);

/// Cost of that exchange without listing what repeats along unused atoms.
/// `countsResult`: putting the result together is not counted elsewhere.
CollectiveCost priceExchange(const AxisAtoms &atoms, const CostModel &model,
                             const Layout &from, const Layout &to,
                             llvm::ArrayRef<int64_t> fromShape,
                             llvm::ArrayRef<ExchangeInterval> intervals,
                             unsigned elementBits, bool countsResult = true);

} // namespace partita

#endif
