// Import: from what JAX prints to the spmd dialect. The passes of the phase,
// and the pipeline that runs them in order.
#ifndef PARTITA_IMPORT_PASSES_H
#define PARTITA_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace partita {

/// What happens when an argument or result of a public function is sharded
/// over axes that do not divide it.
enum class UnevenIO {
  Refuse, ///< an error, as in JAX
  Pad,    ///< accepted: blocks of ceil(size / shards), the tail is padding
};

/// How a result of spmd.manual that is declared replicated, but may differ
/// between devices, is reported.
enum class ReplicationCheck {
  /// An error where no communication over the axis reaches the value, so that
  /// nothing can have made it equal; a warning where some does.
  Auto,
  Error, ///< always an error (check_vma=True)
  Warn,  ///< always a warning (check_vma=False)
};

struct ImportOptions {
  UnevenIO unevenIO = UnevenIO::Refuse;
  ReplicationCheck checkReplication = ReplicationCheck::Auto;
};

#define GEN_PASS_DECL
#include "partita/Import/Passes.h.inc"

/// Appends the passes that take a module as JAX prints it to the phase
/// *imported*; the last one verifies the phase.
void buildImportPipeline(mlir::OpPassManager &manager,
                         const ImportOptions &options = {});

#define GEN_PASS_REGISTRATION
#include "partita/Import/Passes.h.inc"

} // namespace partita

#endif
