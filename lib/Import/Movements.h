// Rewrites of propagated ops whose data movement placement can't choose while
// they are one op.
#ifndef PARTITA_LIB_IMPORT_MOVEMENTS_H
#define PARTITA_LIB_IMPORT_MOVEMENTS_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace partita {

/// True if the value's dimension `dim` is sharded.
bool isDimSharded(mlir::Value value, int64_t dim);
/// `value`, which one op makes, with `sharding`.
mlir::Value withSharding(mlir::Value value, spmd::ShardingAttr sharding);
/// A constant of `attribute` that lies whole on the mesh of `like`.
mlir::Value makeConstant(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ElementsAttr attribute, spmd::ShardingAttr like);

/// Each of these emits at `b` what replaces `op`, with shardings, and returns
/// it; null if the op is of another kind or is fine as it is.
///
/// A transform of several dimensions, one of them sharded, becomes transforms
/// of one dimension each.
mlir::Value splitTransform(mlir::Operation *op, mlir::OpBuilder &b);
/// A slice of a pad of a sharded dimension becomes one pad, which shifts by
/// less than either.
mlir::Value foldSliceOfPad(mlir::Operation *op, mlir::OpBuilder &b);
/// A scatter of one window to a place that is known becomes a pad of the
/// updates that the result takes where they lie.
mlir::Value placeWindow(mlir::Operation *op, mlir::OpBuilder &b);

/// A concatenation of two parts of a value in the other order, along a sharded
/// dimension, becomes one shift (jnp.roll).
mlir::Value foldRoll(mlir::Operation *op, mlir::OpBuilder &b);
/// A slice of a value that is continued past its ends by itself becomes shifts
/// (jnp.pad in the modes wrap and edge).
mlir::Value foldSliceOfExtension(mlir::Operation *op, mlir::OpBuilder &b);

/// The call whose result `value` is, if its callee is a short function that
/// returns a pad or a concatenation there: its body, which has no other call in
/// this phase, should stand in place of the call.
mlir::func::CallOp findCallOfPad(mlir::Value value, mlir::SymbolTable &symbols);

} // namespace partita

#endif
