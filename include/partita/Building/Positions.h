// Tensors of global positions along a dimension, as PartitionBuilder emits
// them.
#ifndef PARTITA_BUILDING_POSITIONS_H
#define PARTITA_BUILDING_POSITIONS_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/Builders.h"

namespace partita {

/// The i32 tensor that holds `base + i*step + j` at index j of dimension `dim`
/// on the device whose index over `axes` is i; no axes: i is 0.
struct Positions {
  int64_t dim = 0;
  mlir::FlatSymbolRefAttr mesh;
  llvm::SmallVector<spmd::AxisRefAttr> axes;
  int64_t base = 0, step = 0;
};

/// The device's mixed-radix index over `axes`, an i32 scalar.
mlir::Value emitAxisIndex(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::FlatSymbolRefAttr mesh,
                          llvm::ArrayRef<spmd::AxisRefAttr> axes);

/// Emits `positions` as a tensor of `shape`.
mlir::Value emitPositions(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::ArrayRef<int64_t> shape,
                          const Positions &positions);

/// Recognises what emitPositions and PartitionBuilder::iota (on the offset of a
/// block or of an interval) emit; nothing for any other value.
std::optional<Positions> matchPositions(mlir::Value value);

/// `value` where 0 <= `position` < `size`, else zero; `position` is a tensor of
/// the same shape.
mlir::Value emitZeroOutside(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value, mlir::Value position,
                            int64_t size);

/// Each position modulo `size`; none is more than one `size` outside.
mlir::Value emitRoundPositions(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value position, int64_t size);

/// `base + i*step` on the device whose index over the axes is i, an i32 scalar.
mlir::Value emitOffset(mlir::OpBuilder &b, mlir::Location loc,
                       const Positions &positions);

} // namespace partita

#endif
