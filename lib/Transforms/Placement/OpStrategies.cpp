// Strategies of one op from the shardings around it. Pure: reads attributes,
// builds no ops.

#include "OpStrategies.h"

using namespace mlir;

namespace partita {
namespace {

/// A tensor of the op and the sharding that it suggests.
struct Suggestion {
  spmd::ShardingAttr sharding;
  const spmd::TensorMapping *mapping;
};

} // namespace

/// Results first: where a value shall go weighs before where it comes from.
static SmallVector<Suggestion> collectSuggestions(const OpContext &context) {
  SmallVector<Suggestion> suggestions;
  auto collect = [&](ArrayRef<spmd::ShardingAttr> shardings,
                     ArrayRef<spmd::TensorMapping> mappings) {
    for (auto [sharding, mapping] : llvm::zip_equal(shardings, mappings))
      if (sharding && !mapping.dims.empty() && sharding.hasShardedDim())
        suggestions.push_back({sharding, &mapping});
  };
  collect(context.results, context.rule.results);
  collect(context.operands, context.rule.operands);
  return suggestions;
}

static OpStrategy makeStrategy(const OpContext &context,
                               const FactorSharding &factors) {
  OpStrategy strategy;
  strategy.shards = factors.getShardCount();
  auto convert = [&](ArrayRef<spmd::ShardingAttr> shardings,
                     ArrayRef<spmd::TensorMapping> mappings, bool isResult,
                     SmallVectorImpl<spmd::ShardingAttr> &wanted) {
    for (auto [sharding, mapping] : llvm::zip_equal(shardings, mappings))
      wanted.push_back(
          sharding ? factors.getSharding(mapping, context.meshName, isResult)
                   : nullptr);
  };
  convert(context.operands, context.rule.operands, false, strategy.operands);
  convert(context.results, context.rule.results, true, strategy.results);
  return strategy;
}

/// Factors that may take the axes of dimensions that must be whole: the largest
/// parallel ones, of all tensors of the op together.
static SmallVector<int> findShelters(const spmd::ShardingRule &rule) {
  SmallVector<int> shelters;
  bool hasWhole = llvm::any_of(rule.factors, [](const spmd::Factor &factor) {
    return !factor.shardable && factor.size > 1;
  });
  if (!hasWhole)
    return shelters;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == spmd::FactorKind::Parallel && factor.shardable &&
        factor.size > 1)
      shelters.push_back(index);
  llvm::stable_sort(shelters, [&](int a, int b) {
    return rule.factors[a].size > rule.factors[b].size;
  });
  shelters.truncate(std::min<size_t>(shelters.size(), 3));
  return shelters;
}

SmallVector<OpStrategy> makeStrategies(const OpContext &context) {
  SmallVector<Suggestion> suggestions = collectSuggestions(context);
  SmallVector<int> shelters = findShelters(context.rule);
  SmallVector<FactorSharding> found;
  auto consider = [&](FactorSharding factors) {
    factors.legalize();
    if (!llvm::is_contained(found, factors))
      found.push_back(std::move(factors));
  };
  for (const Suggestion &leader : suggestions) {
    FactorSharding completed(context.rule, context.mesh);
    completed.add(leader.sharding, *leader.mapping);
    FactorSharding alone = completed;
    for (const Suggestion &other : suggestions)
      completed.add(other.sharding, *other.mapping);
    for (int shelter : shelters) {
      FactorSharding moved = completed;
      moved.addMoved(leader.sharding, *leader.mapping, shelter);
      consider(std::move(moved));
    }
    consider(std::move(completed));
    consider(std::move(alone));
  }
  consider(FactorSharding(context.rule, context.mesh));
  return llvm::map_to_vector(found, [&](const FactorSharding &factors) {
    return makeStrategy(context, factors);
  });
}

} // namespace partita
