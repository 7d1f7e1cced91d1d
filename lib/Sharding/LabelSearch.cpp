// Changes of single nodes and of pairs, near what changed last.
#include "LabelSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace partita;

/// True if `next` is lower by more than rounding.
static bool isLower(double next, double current) {
  return next < current - 1e-12 * std::abs(current);
}

bool LabelSearch::improveNode(std::vector<unsigned> &labels, unsigned node) {
  graph.getLocal(labels, node, nullptr, costsA);
  auto least = std::min_element(costsA.begin(), costsA.end());
  if (!isLower(*least, costsA[labels[node]]))
    return false;
  labels[node] = unsigned(least - costsA.begin());
  return true;
}

bool LabelSearch::improvePair(std::vector<unsigned> &labels,
                              const CoreGraph::Pair &pair) {
  const CoreGraph::Side &side = graph.sides[pair.side];
  graph.getLocal(labels, pair.node, &side, costsA);
  graph.getLocal(labels, side.other, &graph.sides[side.back], costsB);
  unsigned &labelA = labels[pair.node], &labelB = labels[side.other];
  auto getCost = [&](unsigned i, unsigned j) {
    return costsA[i] + costsB[j] + side.table[i * size_t(side.width) + j];
  };
  double current = getCost(labelA, labelB);
  bool improved = false;
  double leastRest =
      *std::min_element(costsB.begin(), costsB.end()) + pair.least;
  for (unsigned i = 0; i < costsA.size(); ++i) {
    if (!isLower(costsA[i] + leastRest, current))
      continue;
    for (unsigned j = 0; j < costsB.size(); ++j)
      if (isLower(getCost(i, j), current)) {
        current = getCost(i, j);
        labelA = i;
        labelB = j;
        improved = true;
      }
  }
  return improved;
}

/// What lies beside `node` is to be looked at.
void LabelSearch::touch(unsigned node) {
  for (const CoreGraph::Side &side : graph.getSides(node)) {
    isDue[side.pair] = true;
    if (!isQueued[side.other])
      queue.push_back(side.other);
    isQueued[side.other] = true;
  }
}

/// All nodes, or those whose label differs from the settled one, and those
/// beside them with all their pairs.
void LabelSearch::queueChanges(llvm::ArrayRef<unsigned> labels) {
  bool isFirst = settled.empty();
  isQueued.assign(graph.size(), isFirst);
  isDue.assign(graph.pairs.size(), isFirst);
  for (unsigned node = 0; node < graph.size() && !isFirst; ++node) {
    if (labels[node] == settled[node])
      continue;
    isQueued[node] = true;
    for (const CoreGraph::Side &side : graph.getSides(node)) {
      isQueued[side.other] = true;
      for (const CoreGraph::Side &beside : graph.getSides(side.other))
        isDue[beside.pair] = true;
    }
  }
  queue.clear();
  for (unsigned node = graph.size(); node-- > 0;)
    if (isQueued[node])
      queue.push_back(node);
}

void LabelSearch::improve(std::vector<unsigned> &labels) {
  queueChanges(labels);
  constexpr int kMaxRounds = 20;
  bool isSettled = false;
  for (int round = 0; round < kMaxRounds && !isSettled; ++round) {
    while (!queue.empty()) {
      unsigned node = queue.back();
      queue.pop_back();
      isQueued[node] = false;
      if (improveNode(labels, node))
        touch(node);
    }
    for (auto [index, pair] : llvm::enumerate(graph.pairs)) {
      if (!isDue[index])
        continue;
      isDue[index] = false;
      if (improvePair(labels, pair)) {
        touch(pair.node);
        touch(graph.sides[pair.side].other);
      }
    }
    isSettled = queue.empty();
  }
  settled = isSettled ? labels : std::vector<unsigned>();
}
