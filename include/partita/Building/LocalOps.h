// The few local ops that passes which know no op may want to emit.
#ifndef PARTITA_BUILDING_LOCALOPS_H
#define PARTITA_BUILDING_LOCALOPS_H

#include "mlir/IR/Builders.h"

namespace partita {

/// `value` in row-major order as `shape`, which has as many elements; the value
/// itself if it has that shape.
mlir::Value emitReshape(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// A scalar of integers.
mlir::Value emitInteger(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type elementType, int64_t value);

/// The sum of two tensors of one type.
mlir::Value emitSum(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs,
                    mlir::Value rhs);

/// A tensor that holds `scalar` everywhere; the scalar itself if it has the
/// type.
mlir::Value emitSplat(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value scalar, mlir::RankedTensorType type);

/// `value` with `lows[d]` zeros before and `highs[d]` behind dimension d, or as
/// many indices less where they are negative.
mlir::Value emitPadded(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> lows,
                       llvm::ArrayRef<int64_t> highs);

/// A tensor of zeros.
mlir::Value emitZeros(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::RankedTensorType type);

/// (`number` + `distance`) modulo `count`; `number` is an i32 scalar below
/// `count`.
mlir::Value emitRotated(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value number, int64_t distance, int64_t count);

/// Block `number` (an i32 scalar) of dimension `dim`, in blocks of `size`
/// indices.
mlir::Value emitBlock(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      int64_t dim, int64_t size, mlir::Value number);

/// `value` with `block` in place of its block `number` of dimension `dim`.
mlir::Value emitBlockUpdate(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value, mlir::Value block, int64_t dim,
                            mlir::Value number);

} // namespace partita

#endif
