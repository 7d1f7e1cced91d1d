// Functions that a lowered program calls and nobody has.
#ifndef PARTITA_TARGET_CPU_JIT_MISSINGSYMBOLS_H
#define PARTITA_TARGET_CPU_JIT_MISSINGSYMBOLS_H

#include "mlir/IR/BuiltinOps.h"
#include "partita/Target/CPU/JIT.h"

namespace partita {

/// An error at the first call of each external function of `module` that is
/// neither in the runtime, nor in `symbols`, nor in this process.
mlir::LogicalResult checkSymbols(mlir::ModuleOp module,
                                 const SymbolTableEntries &symbols);

} // namespace partita

#endif
