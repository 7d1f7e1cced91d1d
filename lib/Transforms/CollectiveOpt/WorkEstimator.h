// How long local ops keep a device busy, from their sharding rules.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_WORKESTIMATOR_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_WORKESTIMATOR_H

#include "dialects/SPMD/RuleCache.h"
#include "partita/Sharding/CostModel.h"

namespace partita {

/// Seconds of work that may run beside a collective. Low rather than high:
/// launches count for nothing, and ops that map elements to elements for no
/// more than what they write, as compilers fuse them.
class WorkEstimator {
public:
  WorkEstimator(const CostModel &model, mlir::ModuleOp module)
      : model(model), symbols(module) {}

  /// Seconds of `op` with its regions (times their trips, once where unknown)
  /// and callees. Collectives count for nothing.
  double getSeconds(mlir::Operation *op);

  /// Seconds of `op`, which has one result, on one of `parts` blocks of a
  /// factor of its rule.
  double getBlockSeconds(mlir::Operation *op, const spmd::ShardingRule &rule,
                         int factor, int64_t parts) const;

private:
  double getOwnSeconds(mlir::Operation *op);
  double getSeconds(mlir::Block &block);

  CostModel model;
  mlir::SymbolTable symbols;
  spmd::RuleCache rules;
  llvm::DenseMap<mlir::Operation *, double> known;
};

} // namespace partita

#endif
