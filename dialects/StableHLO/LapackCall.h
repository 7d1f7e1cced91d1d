// Custom calls of LAPACK, as JAX makes them.
#ifndef PARTITA_DIALECTS_STABLEHLO_LAPACKCALL_H
#define PARTITA_DIALECTS_STABLEHLO_LAPACKCALL_H

#include "dialects/StableHLO/StableHLO.h"
#include "partita/Support/Lapack.h"

namespace partita::stablehlo {

/// What the configuration of `call`, to a `lapack_..._ffi`, says.
LapackOptions getLapackOptions(CustomCallOp call);

} // namespace partita::stablehlo

#endif
