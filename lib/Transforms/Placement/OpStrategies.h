// The ways to split one op that the shardings around it suggest.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_OPSTRATEGIES_H
#define PARTITA_TRANSFORMS_PLACEMENT_OPSTRATEGIES_H

#include "partita/Sharding/FactorSharding.h"

namespace partita {

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
/// and each completed by the others in order. The first is the results' own.
llvm::SmallVector<FactorSharding> makeStrategies(const OpContext &context);

/// The strategy by which all operands arrive and all results go as the op wants
/// and gives them, if there is one.
std::optional<FactorSharding> findAgreement(const OpContext &context);

} // namespace partita

#endif
