// Recognises which one collective leads from one layout to another, prices it
// and says what emission needs.
#ifndef PARTITA_LIB_SHARDING_STEPFINDER_H
#define PARTITA_LIB_SHARDING_STEPFINDER_H

#include "partita/Sharding/ReshardPlanner.h"

namespace partita {

/// A step's price, without what emission needs.
struct StepPrice {
  CollectiveKind kind = CollectiveKind::AllSlice;
  CollectiveCost cost;
  double peakBytes = 0;
};

class StepFinder {
public:
  StepFinder(const AxisAtoms &atoms, const CostModel &model,
             llvm::ArrayRef<int64_t> shape, unsigned elementBits)
      : atoms(atoms), model(model), shape(shape), elementBits(elementBits) {}

  /// The collective other than Exchange from `before` to `after`, both
  /// canonical. Fills `step` when asked to.
  std::optional<StepPrice> find(const Layout &before, const Layout &after,
                                ReshardStep *step = nullptr) const;

  /// The exchange between them; nothing when one has unreduced atoms.
  std::optional<StepPrice> findExchange(const Layout &before,
                                        const Layout &after,
                                        ReshardStep *step = nullptr) const;

private:
  std::optional<StepPrice> findCommon(const Layout &before, const Layout &after,
                                      ReshardStep *step) const;
  std::optional<StepPrice> findReduction(const Layout &before,
                                         const Layout &after,
                                         ReshardStep *step) const;
  std::optional<StepPrice> findAllToAll(const Layout &before,
                                        const Layout &after,
                                        ReshardStep *step) const;
  std::optional<StepPrice> findPermute(const Layout &before,
                                       const Layout &after,
                                       ReshardStep *step) const;
  /// Price of a collective among `group`, from the operand and result sizes of
  /// each dimension.
  StepPrice getPrice(CollectiveKind kind, AtomMask group,
                     llvm::ArrayRef<int64_t> operand,
                     llvm::ArrayRef<int64_t> result, ReshardStep *step) const;

  const AxisAtoms &atoms;
  const CostModel &model;
  llvm::ArrayRef<int64_t> shape;
  unsigned elementBits;
};

} // namespace partita

#endif
