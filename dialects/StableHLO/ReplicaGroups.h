// Process groups of StableHLO collectives, whichever way they are written.
#ifndef PARTITA_DIALECTS_STABLEHLO_REPLICAGROUPS_H
#define PARTITA_DIALECTS_STABLEHLO_REPLICAGROUPS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace partita::stablehlo {

/// One list of processes per group.
using ReplicaGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Groups that attribute `replica_groups` lists, or that axes of a mesh written
/// in place name. Empty when it lists none (all processes form one group).
/// Nothing when the mesh is a symbol, or lacks an axis.
std::optional<ReplicaGroups> getReplicaGroups(mlir::Attribute replicaGroups);

/// Processes per group: of the groups above if all are of one size. Nothing if
/// groups are uneven, not listed, or not known.
std::optional<int64_t> getReplicaGroupSize(mlir::Attribute replicaGroups);

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_REPLICAGROUPS_H
