// Passes of the phase "propagated".
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PASSES_H
#define PARTITA_TRANSFORMS_PROPAGATION_PASSES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Pass/Pass.h"

namespace partita {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Transforms/Propagation/Passes.h.inc"

} // namespace partita

#endif
