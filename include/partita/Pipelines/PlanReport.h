// Compiles programs with a trace and tells what was decided: the work behind
// partita-opt's --explain, --report and --diff-plans.
#ifndef PARTITA_PIPELINES_PLANREPORT_H
#define PARTITA_PIPELINES_PLANREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir {
class MLIRContext;
}

namespace partita {

/// Prints why the value (`%3`, as `--partita-to=propagated` prints it) or the
/// ops of a name (`stablehlo.dot_general`) in the program at `path` are split
/// as they are. `options` are those of the pipeline. Errors go to the context's
/// diagnostics or to standard error, and end in a fix.
llvm::LogicalResult explainPlan(mlir::MLIRContext &context,
                                llvm::StringRef path, llvm::StringRef options,
                                llvm::StringRef question,
                                llvm::raw_ostream &os);

/// The report of a program: JSON or one HTML page.
llvm::LogicalResult reportPlan(mlir::MLIRContext &context, llvm::StringRef path,
                               llvm::StringRef options, bool asJson,
                               llvm::raw_ostream &os);

/// A program and the options that it is compiled with.
struct PlanInput {
  llvm::StringRef path, options;
};

/// What plan `b` does otherwise than plan `a`.
llvm::LogicalResult diffPlans(mlir::MLIRContext &context, PlanInput a,
                              PlanInput b, llvm::raw_ostream &os);

} // namespace partita

#endif
