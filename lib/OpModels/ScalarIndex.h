// Run-time indices made local: clamping without overflow, and bounds masks.
#ifndef PARTITA_LIB_OPMODELS_SCALARINDEX_H
#define PARTITA_LIB_OPMODELS_SCALARINDEX_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

/// min(max(index, 0), high) as i32, for an index tensor of any integer type.
mlir::Value clampIndex(PartitionBuilder &builder, mlir::Value index,
                       int64_t high);

/// A signed index of at least 32 bits with the value of `index`.
mlir::Value widenIndex(PartitionBuilder &builder, mlir::Value index);

/// 0 <= index < size, element by element, as i1; `index` is signed.
mlir::Value withinBounds(PartitionBuilder &builder, mlir::Value index,
                         int64_t size);
/// The same with one size per position along dimension `dim`.
mlir::Value withinBounds(PartitionBuilder &builder, mlir::Value index,
                         int64_t dim, llvm::ArrayRef<int64_t> sizes);

/// A tensor of the integer type `type` that holds values[i] at position i of
/// dimension `dim`.
mlir::Value constantAlong(PartitionBuilder &builder,
                          mlir::RankedTensorType type, int64_t dim,
                          llvm::ArrayRef<int64_t> values);
/// The same with run-time i32 scalars.
mlir::Value scalarsAlong(PartitionBuilder &builder, mlir::RankedTensorType type,
                         int64_t dim, llvm::ArrayRef<mlir::Value> values);

} // namespace partita

#endif
