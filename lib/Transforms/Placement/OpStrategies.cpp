// Strategies of one op from the shardings around it. Pure: reads attributes,
// builds no ops.

#include "OpStrategies.h"

using namespace mlir;

namespace partita {
namespace {

/// A tensor of the op and the sharding that it suggests.
struct Suggestion {
  spmd::ShardingAttr sharding;
  unsigned index;
  bool isResult;

  void addTo(FactorSharding &factors) const {
    isResult ? factors.addResult(index, sharding)
             : factors.addOperand(index, sharding);
  }
};

} // namespace

/// Results first: where a value shall go weighs before where it comes from.
static SmallVector<Suggestion> collectSuggestions(const OpContext &context) {
  SmallVector<Suggestion> suggestions;
  auto collect = [&](ArrayRef<spmd::ShardingAttr> shardings, bool isResult) {
    for (auto [index, sharding] : llvm::enumerate(shardings))
      if (sharding && sharding.hasShardedDim())
        suggestions.push_back({sharding, unsigned(index), isResult});
  };
  collect(context.results, true);
  collect(context.operands, false);
  return suggestions;
}

SmallVector<FactorSharding> makeStrategies(const OpContext &context) {
  SmallVector<Suggestion> suggestions = collectSuggestions(context);
  SmallVector<FactorSharding> found;
  auto consider = [&](FactorSharding factors) {
    factors.legalize();
    if (!llvm::is_contained(found, factors))
      found.push_back(std::move(factors));
  };
  for (const Suggestion &leader : suggestions) {
    FactorSharding completed(context.rule, context.mesh);
    leader.addTo(completed);
    FactorSharding alone = completed;
    for (const Suggestion &other : suggestions)
      other.addTo(completed);
    consider(std::move(completed));
    consider(std::move(alone));
  }
  consider(FactorSharding(context.rule, context.mesh));
  return found;
}

std::optional<FactorSharding> findAgreement(const OpContext &context) {
  FactorSharding split(context.rule, context.mesh);
  for (const Suggestion &suggestion : collectSuggestions(context))
    suggestion.addTo(split);
  split.legalize();
  auto agrees = [&](ArrayRef<spmd::ShardingAttr> shardings, bool isResult) {
    return llvm::all_of(llvm::enumerate(shardings), [&](auto entry) {
      auto [index, outer] = entry;
      return !outer ||
             split.hasSharding(index, isResult, context.meshName, outer);
    });
  };
  if (!agrees(context.results, true) || !agrees(context.operands, false))
    return std::nullopt;
  return split;
}

} // namespace partita
