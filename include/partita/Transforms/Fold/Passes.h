// Passes that make a propagated program smaller before it is placed.
#ifndef PARTITA_TRANSFORMS_FOLD_PASSES_H
#define PARTITA_TRANSFORMS_FOLD_PASSES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Transforms/Fold/Passes.h.inc"
} // namespace partita

#endif
