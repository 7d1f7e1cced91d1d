// How much memory one device needs for a program.
#ifndef PARTITA_BUILDING_PEAKMEMORY_H
#define PARTITA_BUILDING_PEAKMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita {

/// Bytes of one device's buffer of a value.
using LocalByteCounter = llvm::function_ref<int64_t(mlir::Value)>;

/// Arguments and, over all points of the program, the most that lives of
/// everything else: a value lives from its definition to its last use, in
/// program order. Loops, branches and calls add what their bodies need.
int64_t
getPeakBytes(mlir::func::FuncOp main, LocalByteCounter getBytes,
             llvm::function_ref<void(mlir::Operation *, int64_t)> visit = {});

/// The same of a partitioned program, whose types are local. Calls `visit` with
/// what is held while each op of the body's first block runs.
int64_t
getPeakBytes(mlir::func::FuncOp main,
             llvm::function_ref<void(mlir::Operation *, int64_t)> visit = {});

} // namespace partita

#endif
