// sin, cos and pow of f32 as arithmetic.
#ifndef PARTITA_LIB_TARGET_CPU_FLOATFUNCTIONS_H
#define PARTITA_LIB_TARGET_CPU_FLOATFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"
#include <cmath>

namespace partita {

/// What invalid operations give, with the sign that the C library and XLA's CPU
/// compiler give it on x86: sorts and top_k order numbers by it.
constexpr double kInvalid = -NAN;

/// Rewrites math.sin, math.cos and math.powf of f32: computed in f64, rounded
/// once. At most one unit in the last place from the exact value for all
/// arguments; zeros, infinities and NaN as in the C library.
void populateFloatFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace partita

#endif
