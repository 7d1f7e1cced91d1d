// Custom calls whose targets are known: annotations, and LAPACK as JAX calls
// it.
#ifndef PARTITA_DIALECTS_STABLEHLO_CUSTOMCALLS_H
#define PARTITA_DIALECTS_STABLEHLO_CUSTOMCALLS_H

#include "dialects/StableHLO/StableHLO.h"
#include "partita/Support/Lapack.h"

namespace partita::stablehlo {

/// True if the results are the operands: the call says something of them.
bool isIdentityCall(CustomCallOp call);

/// What the configuration of `call`, to a `lapack_..._ffi`, says.
LapackOptions getLapackOptions(CustomCallOp call);

} // namespace partita::stablehlo

#endif
