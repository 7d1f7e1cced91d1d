// Lagrange's price of memory: the least at which a plan fits.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_MEMORYPRICE_H
#define PARTITA_TRANSFORMS_PLACEMENT_MEMORYPRICE_H

#include "mlir/Support/LLVM.h"

namespace partita {

/// Makes the plan for a price of memory and returns its peak in bytes.
using PlanMaker = llvm::function_ref<mlir::FailureOr<int64_t>(double price)>;

struct MemorySearch {
  /// The least peak of all plans.
  int64_t leastPeak = 0;
  /// A plan fits; `price` is the least found at which one does.
  bool fits = false;
  double price = 0;
};

/// Raises the price from `firstPrice` until a plan fits into `limit` bytes,
/// then lowers it by bisection. Fails where `make` does.
mlir::FailureOr<MemorySearch> findMemoryPrice(int64_t limit, double firstPrice,
                                              PlanMaker make);

} // namespace partita

#endif
