// Rows of a tensor, cut out or repeated past its ends.
#ifndef PARTITA_DIALECTS_STABLEHLO_EDGEROWS_H
#define PARTITA_DIALECTS_STABLEHLO_EDGEROWS_H

#include "mlir/IR/Builders.h"

namespace partita::stablehlo {

/// Indices [first, limit) of dimension `dim` of `value`; the value itself if
/// those are all.
mlir::Value emitRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     int64_t dim, int64_t first, int64_t limit);

/// `value` where 0 <= `position` < `size`, else the row of `source` along `dim`
/// that is at the nearest position inside. `position` is an i32 tensor of the
/// shape of `value`; index 0 of `source` has the position `first`, an i32
/// scalar, and `source` holds that row wherever it is needed.
mlir::Value emitEdgeRows(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Value source, int64_t dim,
                         mlir::Value position, mlir::Value first, int64_t size);

} // namespace partita::stablehlo

#endif
