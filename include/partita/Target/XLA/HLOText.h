// HLO text of a per-device program.
#ifndef PARTITA_TARGET_XLA_HLOTEXT_H
#define PARTITA_TARGET_XLA_HLOTEXT_H

#include "mlir/IR/BuiltinOps.h"

namespace partita {

/// Prints the per-device program (the result of convert-spmd-to-stablehlo, best
/// with axis-named groups) as an HLO module whose entry is main. An op that HLO
/// has no form for is a located error; nothing is printed then.
mlir::LogicalResult printHLO(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace partita

#endif
