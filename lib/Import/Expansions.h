// Ops that are defined by others, written as those.
#ifndef PARTITA_LIB_IMPORT_EXPANSIONS_H
#define PARTITA_LIB_IMPORT_EXPANSIONS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace partita {

/// One value per result of an op that is replaced.
using Replacements = llvm::SmallVector<mlir::Value>;

/// Each of these emits, at `b`, what replaces `op`; none if the op is of
/// another kind or, as with operands that are no constants, cannot be replaced.
std::optional<Replacements> expandDynamicOp(mlir::Operation *op,
                                            mlir::OpBuilder &b);
std::optional<Replacements> expandNormalization(mlir::Operation *op,
                                                mlir::OpBuilder &b);
std::optional<Replacements> expandEinsum(mlir::Operation *op,
                                         mlir::OpBuilder &b);
std::optional<Replacements> expandBroadcasting(mlir::Operation *op,
                                               mlir::OpBuilder &b);
std::optional<Replacements> expandIndexSelect(mlir::Operation *op,
                                              mlir::OpBuilder &b);
/// A composite becomes a call of its decomposition.
std::optional<Replacements> expandComposite(mlir::Operation *op,
                                            mlir::OpBuilder &b);
/// An ApproxTopK custom call becomes a sort and slices: the exact answer.
std::optional<Replacements> expandApproxTopK(mlir::Operation *op,
                                             mlir::OpBuilder &b);
/// A scan becomes a while loop over its rows.
std::optional<Replacements> expandScan(mlir::Operation *op, mlir::OpBuilder &b);
/// Elements of a tuple that is made in the same function.
std::optional<Replacements> expandTupleElement(mlir::Operation *op,
                                               mlir::OpBuilder &b);

} // namespace partita

#endif
