// The ops of its block between which a collective runs.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVEWINDOW_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVEWINDOW_H

#include "mlir/IR/Operation.h"

namespace partita {

/// The last op of its block that gives `op` an operand; null if none does.
mlir::Operation *findLastSource(mlir::Operation *op);

/// The first op of its block that reads a result of `op`, itself or in its
/// regions; the terminator if none does.
mlir::Operation *findFirstReader(mlir::Operation *op);

} // namespace partita

#endif
