// Reads a program and recognises files of the wrong kind.
#ifndef PARTITA_PIPELINES_INPUTFILE_H
#define PARTITA_PIPELINES_INPUTFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace partita {

/// Parses the StableHLO text in `path` ("-": standard input), which `sources`
/// keeps for diagnostics. A missing file, a Python file, MLIR bytecode, a
/// serialized artifact or HLO text is an error that says how to get StableHLO
/// text; all errors go to the context's diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(mlir::MLIRContext &context,
                                              llvm::SourceMgr &sources,
                                              llvm::StringRef path);

} // namespace partita

#endif
