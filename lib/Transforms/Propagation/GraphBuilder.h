// Reads the propagation graph of a module.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_GRAPHBUILDER_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_GRAPHBUILDER_H

#include "Seeds.h"
#include "partita/Transforms/Propagation/ModuleGraph.h"

namespace partita::propagation {

/// Builds the graph. Every ranked value outside op bodies gets a slot. Fails,
/// with an error, on dynamic shapes, unknown meshes and ops without a model.
mlir::FailureOr<std::unique_ptr<ModuleGraph>>
buildGraph(mlir::ModuleOp module, const CallTree &calls,
           const PropagationSeeds &seeds);

} // namespace partita::propagation

#endif
