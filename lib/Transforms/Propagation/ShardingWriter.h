// Writes a propagated graph back to the module as attributes.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_SHARDINGWRITER_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_SHARDINGWRITER_H

#include "partita/Transforms/Propagation/ModuleGraph.h"

namespace partita::propagation {

/// Annotates every value of `graph` with its slot's sharding, closed. What
/// nothing is known of is whole on each device. Axes that propagation gave to
/// arguments and results of functions, calls and manual regions are cut back to
/// what divides the dimension, and on `entries`, the functions that nothing
/// calls, to whole axes.
void writeShardings(mlir::ModuleOp module, ModuleGraph &graph,
                    llvm::ArrayRef<mlir::func::FuncOp> entries);

} // namespace partita::propagation

#endif
