// Which arguments of main become results in place.
#ifndef PARTITA_TARGET_CPU_DONATION_H
#define PARTITA_TARGET_CPU_DONATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita {

/// For every argument of `main`, at phase *optimized*, the result whose memory
/// it shares; -1: none, so the argument is only read. `tf.aliasing_output`
/// names the result; `jax.buffer_donor` takes the first free result of the same
/// type.
llvm::SmallVector<int64_t> getDonatedResults(mlir::func::FuncOp main);

/// Bytes of a value of `type` in dense memory.
int64_t getValueBytes(mlir::Type type);

/// Bytes that one device needs for arguments and results of `main`; a donated
/// argument and its result count once.
int64_t getBoundaryBytes(mlir::func::FuncOp main);

} // namespace partita

#endif
