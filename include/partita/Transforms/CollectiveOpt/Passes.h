// Passes of the phase "optimized".
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_PASSES_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_PASSES_H

#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

#endif
