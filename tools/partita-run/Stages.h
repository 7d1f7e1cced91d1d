// What each pass makes of a program, kept so that every step can be compared
// with the unsharded program.
#ifndef PARTITA_TOOLS_RUN_STAGES_H
#define PARTITA_TOOLS_RUN_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace partita {

/// The program after a pass that changed it.
struct Stage {
  /// Argument of the pass, e.g. "spmd-place-reshards".
  std::string pass;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Partitioned: each device runs it on its blocks. Else whole arrays.
  bool isPerDevice = false;
};

/// Has `pm`, which runs a whole pipeline on `module`, append to `stages`, which
/// must outlive it: from propagation on, as import makes the reference.
void keepStages(mlir::PassManager &pm, mlir::ModuleOp module,
                std::vector<Stage> &stages);

} // namespace partita

#endif
