// The graph that elimination leaves, and local search on it.
#include "CoreGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace partita;

/// Nodes that are alive, by position.
static std::vector<unsigned> orderNodes(const PairwiseModel &model,
                                        size_t count) {
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < count; ++node)
    if (model.isAlive(node))
      nodes.push_back(node);
  llvm::sort(nodes, [&](unsigned a, unsigned b) {
    return std::pair(model.getPosition(a), a) <
           std::pair(model.getPosition(b), b);
  });
  return nodes;
}

/// A padded copy that lives as long as this; of one table, one copy.
const double *CoreGraph::addTable(const double *table, unsigned rows,
                                  unsigned columns) {
  const double *&copy = known[{table, columns}];
  if (copy)
    return copy;
  unsigned width = pad(columns);
  double *entries = allocator.Allocate<double>(size_t(rows) * width);
  copy = entries;
  for (unsigned i = 0; i < rows; ++i, table += columns, entries += width) {
    std::copy(table, table + columns, entries);
    std::fill(entries + columns, entries + width, kPaddingCost);
  }
  return copy;
}

CoreGraph::CoreGraph(const PairwiseModel &model)
    : ids(orderNodes(model, model.size())) {
  std::vector<unsigned> numbers(model.size());
  for (auto [number, id] : llvm::enumerate(ids))
    numbers[id] = unsigned(number);
  for (unsigned id : ids) {
    size_t first = sides.size();
    firstSides.push_back(unsigned(first));
    unsigned count = model.getNumLabels(id);
    unary.push_back({addTable(model.getUnary(id).data(), 1, count), count});
    for (const auto &neighbour : model.getNeighbours(id)) {
      unsigned width = model.getNumLabels(neighbour.node);
      sides.push_back({numbers[neighbour.node], pad(width),
                       addTable(neighbour.table, count, width), 0, 0, 0, 0});
    }
    std::sort(sides.begin() + first, sides.end(),
              [](const Side &a, const Side &b) { return a.other < b.other; });
    for (size_t at = first; at < sides.size(); ++at) {
      sides[at].in = messageSize;
      messageSize += pad(count);
    }
  }
  firstSides.push_back(unsigned(sides.size()));
  // Sides to earlier nodes meet the pairs of those in the same order.
  std::vector<unsigned> next(firstSides.begin(), firstSides.end() - 1);
  for (unsigned a = 0; a < size(); ++a)
    for (unsigned at = firstSides[a]; at < firstSides[a + 1]; ++at) {
      Side &side = sides[at];
      if (side.other < a)
        continue;
      side.back = next[side.other]++;
      Side &far = sides[side.back];
      far.back = at;
      side.out = far.in;
      far.out = side.in;
      side.pair = far.pair = unsigned(pairs.size());
      size_t entries = unary[a].size() * side.width;
      pairs.push_back(
          {a, at, *std::min_element(side.table, side.table + entries)});
    }
}

double CoreGraph::getCost(llvm::ArrayRef<unsigned> labels) const {
  double cost = 0;
  for (auto [costs, label] : llvm::zip_equal(unary, labels))
    cost += costs[label];
  for (const Pair &pair : pairs) {
    const Side &side = sides[pair.side];
    cost +=
        side.table[labels[pair.node] * size_t(side.width) + labels[side.other]];
  }
  return cost;
}

void CoreGraph::getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                         const Side *except, std::vector<double> &costs) const {
  costs.assign(unary[node].begin(), unary[node].end());
  for (const Side &side : getSides(node)) {
    if (&side == except)
      continue;
    const double *row = getRow(side, labels[side.other]);
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += row[i];
  }
}

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
