// What propagation starts from besides the annotations of values: constraints
// and groups.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_SEEDS_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_SEEDS_H

#include "DataFlow.h"

namespace partita::propagation {

/// Shardings that constraints and groups give to values, and which values are
/// to be alike. Keys are sharding owners.
struct PropagationSeeds {
  llvm::DenseMap<mlir::Value, spmd::ShardingAttr> shardings;
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 2>> groups;

  /// The sharding with which `value` starts; null when it has none.
  spmd::ShardingAttr get(mlir::Value value, const CallTree &calls) const;
  void set(mlir::Value value, spmd::ShardingAttr sharding) {
    shardings[getShardingOwner(value)] = sharding;
  }
};

/// Lets constraints act on their inputs. A closed constraint is the sharding of
/// its input where no other constraint disagrees; where the input is a flow
/// target, which must stay free, the constraint is moved behind it and takes
/// over its uses. Uses after a chain of constraints read the end of the chain.
void applyConstraints(mlir::ModuleOp module, const CallTree &calls,
                      PropagationSeeds &seeds);

/// Collects spmd.group ops: groups that share a value are one. Members get the
/// one sharding that some of them have; where several differ, each member gets
/// an open constraint, with a warning, and that is the member then. Fails if
/// shapes differ or a group crosses the border of a manual region.
mlir::LogicalResult collectGroups(mlir::ModuleOp module, const CallTree &calls,
                                  PropagationSeeds &seeds);

} // namespace partita::propagation

#endif
