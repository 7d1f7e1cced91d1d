// What placement tells to whoever explains its result.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTOBSERVER_H
#define PARTITA_TRANSFORMS_PLACEMENT_PLACEMENTOBSERVER_H

#include "partita/Transforms/Placement/Passes.h"

namespace partita {

/// One way to split an op, priced while all other ops stay as they are chosen.
/// Costs are the solver's: seconds or bytes, by objective, for all runs.
struct SplitStrategy {
  llvm::SmallVector<spmd::ShardingAttr, 2> operands, results;
  double work = 0;     ///< of the op itself
  double incoming = 0; ///< reshards of its operands
  double outgoing = 0; ///< reshards of its results
  bool isChosen = false;

  double getTotal() const { return work + incoming + outgoing; }
};

class PlacementObserver {
public:
  virtual ~PlacementObserver() = default;
  /// Asked before anything is rewritten; pricing takes time.
  virtual bool wantsStrategies(mlir::Operation *op) = 0;
  /// Cheapest first.
  virtual void recordStrategies(mlir::Operation *op,
                                llvm::ArrayRef<SplitStrategy> strategies) = 0;
  /// `module` is at phase *placed*.
  virtual void recordPlacement(mlir::ModuleOp module) = 0;
};

/// spmd-place-reshards that tells `observer`.
std::unique_ptr<mlir::Pass>
createPlaceReshardsPass(const PlaceReshardsPassOptions &options,
                        std::shared_ptr<PlacementObserver> observer);

} // namespace partita

#endif
