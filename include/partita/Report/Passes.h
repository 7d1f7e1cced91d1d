// Passes that say what a plan does.
#ifndef PARTITA_REPORT_PASSES_H
#define PARTITA_REPORT_PASSES_H

#include "mlir/Pass/Pass.h"
#include "partita/Report/PlanTrace.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Report/Passes.h.inc"

/// spmd-remark-collectives with the reasons in `trace`; takes the trace's marks
/// off the module.
std::unique_ptr<mlir::Pass>
createRemarkCollectivesPass(const RemarkCollectivesPassOptions &options,
                            std::shared_ptr<const PlanTrace> trace);
} // namespace partita

#endif
