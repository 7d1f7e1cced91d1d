// The options by which a tool emits remarks, as MlirOptMain gives them to
// partita-opt.
#ifndef PARTITA_PIPELINES_REMARKCLOPTIONS_H
#define PARTITA_PIPELINES_REMARKCLOPTIONS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace partita {

/// Registers --remarks-filter, --remark-format and --remarks-output-file when
/// made; at most one in a tool that does not use MlirOptMain.
class RemarkCLOptions {
public:
  explicit RemarkCLOptions(llvm::cl::OptionCategory &category);

  bool areAsked() const { return !filter.empty(); }
  /// Lets passes in `context` emit what the options ask for. Fails, with an
  /// error on standard error, where the file can't be written.
  llvm::LogicalResult enable(mlir::MLIRContext &context) const;

private:
  llvm::cl::opt<std::string> filter, format, outputFile;
};

} // namespace partita

#endif
