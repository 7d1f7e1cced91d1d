// The few local ops that passes which know no op may want to emit.
#ifndef PARTITA_BUILDING_LOCALOPS_H
#define PARTITA_BUILDING_LOCALOPS_H

#include "mlir/IR/Builders.h"

namespace partita {

/// `value` in row-major order as `shape`, which has as many elements; the value
/// itself if it has that shape.
mlir::Value emitReshape(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace partita

#endif
