// Recognises bodies of reduce, scatter and similar ops as one reduction kind.
#ifndef PARTITA_LIB_OPMODELS_REDUCTIONKIND_H
#define PARTITA_LIB_OPMODELS_REDUCTIONKIND_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

/// The kind by which a body with arguments (a1..aN, b1..bN) combines every ai
/// with bi, if each result is one binary op of the same kind on just that pair.
/// On booleans, sum and product are `or` and `and`.
std::optional<spmd::ReductionKind> matchReductionKind(mlir::Region &body);

/// True if `value` is a constant that is the neutral element of `kind`.
bool isNeutralConstant(mlir::Value value, spmd::ReductionKind kind);

} // namespace partita

#endif
