// The invariant of phase "placed", for passes that rely on it.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_VERIFYPLACED_H
#define PARTITA_TRANSFORMS_PLACEMENT_VERIFYPLACED_H

#include "mlir/IR/BuiltinOps.h"

namespace partita {

/// Checks that every ranked value outside op bodies has a sharding, that every
/// op is conflict-free by its own rule, that values arrive at regions, calls
/// and results as these want them, and that constraints are gone. Reports the
/// first violation at its op, with a fix.
mlir::LogicalResult verifyPlaced(mlir::ModuleOp module);

} // namespace partita

#endif
