// The ways in which one op may be split, and what each costs.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_OPSTRATEGIES_H
#define PARTITA_TRANSFORMS_PLACEMENT_OPSTRATEGIES_H

#include "partita/Sharding/FactorSharding.h"

namespace partita {

/// One way to split an op: the sharding it wants of each operand and gives each
/// result (partial sums unreduced). Null for what is not a ranked tensor.
struct OpStrategy {
  llvm::SmallVector<spmd::ShardingAttr> operands;
  llvm::SmallVector<spmd::ShardingAttr> results;
  /// Product of the axes in use: the op's work is divided by it.
  int64_t shards = 1;
};

/// What is known of an op when its strategies are made: the shardings in which
/// operands arrive and to which results shall go (null: not a ranked tensor).
struct OpContext {
  const spmd::ShardingRule &rule;
  mlir::FlatSymbolRefAttr meshName;
  spmd::MeshAttr mesh;
  llvm::ArrayRef<spmd::ShardingAttr> operands;
  llvm::ArrayRef<spmd::ShardingAttr> results;
};

/// The distinct strategies that some operand or result suggests: each alone,
/// and each completed by the others in order; and, where a suggestion has axes on
/// dimensions that must be whole, with those axes on a parallel factor instead.
/// The last is the one that is whole everywhere.
llvm::SmallVector<OpStrategy> makeStrategies(const OpContext &context);

} // namespace partita

#endif
