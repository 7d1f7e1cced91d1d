// Sharding rules of a module's ops, made once for all ops of one form.
#ifndef PARTITA_DIALECTS_SPMD_RULECACHE_H
#define PARTITA_DIALECTS_SPMD_RULECACHE_H

#include "dialects/SPMD/SPMD.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace partita::spmd {

/// Ops have one form if they have no regions and equal names, types, properties
/// and no other attributes but shardings: then their rules are equal, as long as
/// no op model looks at values (lib/OpModels/Rationale.md). Keeps no ops, so
/// that those may change or go.
class RuleCache {
public:
  RuleCache() = default;
  RuleCache(const RuleCache &) = delete;
  RuleCache &operator=(const RuleCache &) = delete;
  ~RuleCache();

  /// The rule of `op`, which lives as long as this; one of a form is one
  /// object. Null after an error on the op.
  const ShardingRule *get(ShardableOpInterface op);

private:
  struct Form {
    mlir::OperationName name;
    unsigned numOperands;
    llvm::SmallVector<mlir::Type, 4> types; ///< operands, then results
    void *properties;                       ///< a copy; null: has none
    ShardingRule rule;
    bool matches(mlir::Operation *op) const;
  };

  const ShardingRule *add(ShardableOpInterface op, int &last);

  std::deque<Form> forms;
  std::deque<ShardingRule> others; ///< of ops that share theirs with none
  /// By hash, the last form with it; by form, the one before with its hash.
  llvm::DenseMap<size_t, int> lastOfHash;
  std::vector<int> previous;
};

} // namespace partita::spmd

#endif
