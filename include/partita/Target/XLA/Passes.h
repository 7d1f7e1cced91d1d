// Passes that give a program the forms that XLA compiles.
#ifndef PARTITA_TARGET_XLA_PASSES_H
#define PARTITA_TARGET_XLA_PASSES_H

#include "dialects/Sdy/Sdy.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Target/XLA/Passes.h.inc"
} // namespace partita

#endif
