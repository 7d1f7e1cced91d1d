// Steps of propagation through one op.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_FACTOREXPANSION_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_FACTOREXPANSION_H

#include "partita/Transforms/Propagation/FactorPropagation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::propagation {

/// Shortens `axes` to what `keep` lets through. `keep` gets an axis and the
/// product of the sizes before it, and returns its part that may stay; the
/// first axis that is not kept whole ends the list.
void truncateAxes(
    AxisList &axes,
    llvm::function_ref<std::optional<AxisRef>(AxisRef, int64_t)> keep);

/// Lets `factor` of `tensor` have `axes` if it has a proper prefix of them.
bool expand(TensorFactors &tensor, int factor, AxisSpan axes);

/// First tensor other than `except` whose `factor` has `axes`; -1 if none.
int findSource(const Projection &projection, int factor, AxisSpan axes,
               int except);

} // namespace partita::propagation

#endif
