// Conversion passes.
#ifndef PARTITA_CONVERSION_PASSES_H
#define PARTITA_CONVERSION_PASSES_H

#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Conversion/Passes.h.inc"
} // namespace partita

#endif
