// partita-translate --interpret: evaluates test programs that state what they
// expect of their values.
#ifndef PARTITA_TOOLS_PARTITA_TRANSLATE_INTERPRET_H
#define PARTITA_TOOLS_PARTITA_TRANSLATE_INTERPRET_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace partita {

struct InterpretOptions {
  /// Text of an array attribute with a value per argument of main; empty: run
  /// every public function that takes nothing.
  std::string arguments;
  /// Print results as `dense<...>` instead of nested lines.
  bool printDense = false;
  /// Each part between lines of `// -----` is a module of its own.
  bool splitInputFile = false;
};

/// Evaluates the functions of the file at `path` and prints their results.
/// Fails where an expectation fails, after running what is left.
llvm::LogicalResult interpretFile(mlir::MLIRContext &context,
                                  llvm::StringRef path,
                                  const InterpretOptions &options);

} // namespace partita

#endif
