// Copies what is alive of a pairwise model, tables padded.
#include "CoreGraph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace partita;

/// Nodes that are alive, by position.
static std::vector<unsigned> orderNodes(const PairwiseModel &model) {
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < model.size(); ++node)
    if (model.isAlive(node))
      nodes.push_back(node);
  llvm::sort(nodes, [&](unsigned a, unsigned b) {
    return std::pair(model.getPosition(a), a) <
           std::pair(model.getPosition(b), b);
  });
  return nodes;
}

/// A padded copy that lives as long as this.
const double *CoreGraph::copyPadded(const double *table, unsigned rows,
                                    unsigned columns) {
  unsigned width = getPaddedWidth(columns);
  double *copy = allocator.Allocate<double>(size_t(rows) * width);
  double *row = copy;
  for (unsigned i = 0; i < rows; ++i, table += columns, row += width) {
    std::copy(table, table + columns, row);
    std::fill(row + columns, row + width, kPaddingCost);
  }
  return copy;
}

CoreGraph::CoreGraph(const PairwiseModel &model) : ids(orderNodes(model)) {
  // Of one table, one copy; of one memory there may be tables of two shapes.
  llvm::DenseMap<std::pair<const double *, unsigned>, const double *> copies;
  std::vector<unsigned> numbers(model.size());
  for (auto [number, id] : llvm::enumerate(ids))
    numbers[id] = unsigned(number);
  for (unsigned id : ids) {
    size_t first = sides.size();
    firstSides.push_back(unsigned(first));
    unsigned count = model.getNumLabels(id);
    unary.push_back({copyPadded(model.getUnary(id).data(), 1, count), count});
    for (const auto &neighbour : model.getNeighbours(id)) {
      unsigned width = model.getNumLabels(neighbour.node);
      const double *&table = copies[{neighbour.table, width}];
      if (!table)
        table = copyPadded(neighbour.table, count, width);
      sides.push_back(
          {numbers[neighbour.node], getPaddedWidth(width), table, 0, 0, 0, 0});
    }
    std::sort(sides.begin() + first, sides.end(),
              [](const Side &a, const Side &b) { return a.other < b.other; });
    for (size_t at = first; at < sides.size(); ++at) {
      sides[at].in = messageSize;
      messageSize += getPaddedWidth(count);
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
