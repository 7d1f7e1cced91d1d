// Reads a program and recognises files of the wrong kind.
#ifndef PARTITA_PIPELINES_INPUTFILE_H
#define PARTITA_PIPELINES_INPUTFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>

namespace partita {

/// The text of a program, or why there is none.
struct InputFile {
  std::unique_ptr<llvm::MemoryBuffer> buffer; ///< null: see error and fix
  std::string error, fix;
};

/// Which MLIR bytecode is accepted.
enum class Bytecode {
  Refuse, ///< none
  Own,    ///< what partita-opt --emit-bytecode of this LLVM writes
};

/// Opens `path` ("-": standard input, unless that is a terminal). A missing
/// file, a Python file, MLIR bytecode, a serialized artifact, HLO text, an
/// empty or a binary file is refused with the way to StableHLO text.
InputFile openInput(llvm::StringRef path, Bytecode bytecode);

/// Parses the StableHLO text in `path`, which `sources` keeps for diagnostics.
/// All errors go to the context's diagnostics and end in a fix.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(mlir::MLIRContext &context,
                                              llvm::SourceMgr &sources,
                                              llvm::StringRef path);

} // namespace partita

#endif
