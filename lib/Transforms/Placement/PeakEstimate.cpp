// Sums what lives over the positions of the program.

#include "PeakEstimate.h"

using namespace mlir;

namespace partita {

using Span = std::pair<int64_t, int64_t>;

/// The layouts of a value and the spans in which they are in memory.
static SmallVector<std::pair<spmd::ShardingAttr, Span>, 4>
collectLayouts(const FlowValue &value, const PlacementProblem &problem) {
  SmallVector<std::pair<spmd::ShardingAttr, Span>, 4> layouts;
  auto add = [&](spmd::ShardingAttr layout, Span span) {
    for (auto &[known, whole] : layouts)
      if (known == layout) {
        whole.first = std::min(whole.first, span.first);
        whole.second = std::max(whole.second, span.second);
        return;
      }
    layouts.push_back({layout, span});
  };
  add(problem.getSource(value), value.span);
  if (spmd::ShardingAttr kept = problem.getKept(value.value))
    add(kept, value.span);
  for (const FlowUse &use : value.uses)
    add(problem.getWanted(use), use.span);
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
