// Sums what lives over the positions of the program.

#include "PeakEstimate.h"

using namespace mlir;

namespace partita {

using Span = std::pair<int64_t, int64_t>;

/// The layouts of a value and the spans in which they are in memory.
static llvm::MapVector<spmd::ShardingAttr, Span>
collectLayouts(const FlowValue &value, const PlacementProblem &problem) {
  llvm::MapVector<spmd::ShardingAttr, Span> layouts;
  layouts[problem.getSource(value)] = value.span;
  if (spmd::ShardingAttr kept = problem.getKept(value.value))
    layouts[kept] = value.span;
  for (const FlowUse &use : value.uses) {
    auto [it, isNew] = layouts.insert({problem.getWanted(use), use.span});
    it->second.first = std::min(it->second.first, use.span.first);
    it->second.second = std::max(it->second.second, use.span.second);
  }
  return layouts;
}

double estimatePeak(const ReshardCosts &costs, const ValueFlow &flow,
                    const PlacementProblem &problem) {
  std::vector<double> changes(flow.length + 2, 0);
  for (const FlowValue &value : flow.values)
    for (const auto &[layout, span] : collectLayouts(value, problem)) {
      double bytes = costs.getLocalBytes(layout, value.type);
      changes[span.first] += bytes;
      changes[span.second + 1] -= bytes;
    }
  double live = 0, peak = 0;
  for (double change : changes)
    peak = std::max(peak, live += change);
  return peak;
}

} // namespace partita
