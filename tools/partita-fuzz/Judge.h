// Runs one program to a verdict in a child process, so that crashes and endless
// loops are verdicts too.
#ifndef PARTITA_TOOLS_FUZZ_JUDGE_H
#define PARTITA_TOOLS_FUZZ_JUDGE_H

#include "mlir/IR/MLIRContext.h"
#include <string>

namespace partita {

enum class Outcome : char {
  Equal,     ///< the partition is right and reacts to its inputs
  Different, ///< other values, or the partition cannot be evaluated
  Crash,     ///< the process died, hung, or made invalid IR
  Refused,   ///< a located error with a fix
  Vacuous,   ///< equal, but no result reacts to an input
  Invalid,   ///< the program itself is wrong: a fault of the generator
};

struct Verdict {
  Outcome outcome = Outcome::Equal;
  std::string message;
};

/// How a program is judged.
struct Trial {
  /// Options of the pipeline, as in partita-opt.
  std::string pipeline;
  /// Longer is a crash.
  unsigned seconds = 20;
  /// Machine code too must give what the evaluator gives, on floats.
  bool runsMachineCode = false;
};

/// Compiles and compares `text` as `trial` says. The context must have no
/// threads.
Verdict judge(mlir::MLIRContext &context, llvm::StringRef text,
              const Trial &trial);

/// A smaller program of the same outcome.
std::string shrink(mlir::MLIRContext &context, std::string text,
                   Outcome outcome, const Trial &trial, unsigned attempts);

} // namespace partita

#endif
