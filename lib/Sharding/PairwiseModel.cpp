// Exact elimination of the parts of a placement graph that are trees or
// series-parallel.
#include "PairwiseModel.h"
#include "LeastSums.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <queue>

using namespace partita;

/// More than any labelling without forbidden parts costs.
static double getForbiddenCost(const PlacementGraph &graph) {
  double sum = 1;
  auto getLargest = [](llvm::ArrayRef<double> costs) {
    double largest = 0;
    for (double cost : costs)
      if (std::isfinite(cost))
        largest = std::max(largest, std::abs(cost));
    return largest;
  };
  for (const PlacementNode &node : graph.nodes)
    sum += getLargest(node.costs);
  std::vector<double> ofMatrices;
  for (const std::vector<double> &matrix : graph.matrices)
    ofMatrices.push_back(getLargest(matrix));
  for (const PlacementEdge &edge : graph.edges)
    sum += edge.weight * ofMatrices[edge.matrix];
  return 2 * sum;
}

PairwiseModel::PairwiseModel(const PlacementGraph &graph)
    : neighbours(graph.nodes.size()), alive(graph.nodes.size(), true) {
  double forbidden = getForbiddenCost(graph);
  auto copyFinite = [&](llvm::ArrayRef<double> costs, double weight) {
    double *copy = allocate(costs.size());
    for (auto [index, cost] : llvm::enumerate(costs)) {
      double weighted = weight * cost;
      copy[index] = std::isfinite(weighted) ? weighted : forbidden;
    }
    return copy;
  };
  for (const PlacementNode &node : graph.nodes) {
    unary.push_back({copyFinite(node.costs, 1), node.costs.size()});
    positions.push_back(node.position);
    changed.push_back(changed.size());
  }
  struct Tables {
    const double *table = nullptr, *transposed = nullptr;
  };
  // Of one matrix there may be tables of several shapes.
  llvm::DenseMap<std::tuple<unsigned, uint64_t, size_t>, Tables> known;
  for (const PlacementEdge &edge : graph.edges) {
    size_t labelsA = getNumLabels(edge.a), labelsB = getNumLabels(edge.b);
    Tables &tables =
        known[{edge.matrix, llvm::bit_cast<uint64_t>(edge.weight), labelsA}];
    if (!tables.table) {
      tables.table = copyFinite(graph.matrices[edge.matrix], edge.weight);
      tables.transposed = transpose(tables.table, labelsA, labelsB);
    }
    if (edge.a == edge.b)
      for (size_t label = 0; label < labelsB; ++label)
        unary[edge.a][label] += tables.table[label * labelsB + label];
    else
      connect(edge.a, edge.b, tables.table, tables.transposed);
  }
}

PairwiseModel::PairwiseModel(const PairwiseModel &other,
                             llvm::ArrayRef<unsigned> ids)
    : neighbours(ids.size()), alive(ids.size(), true) {
  std::vector<unsigned> numbers(other.size());
  for (auto [number, id] : llvm::enumerate(ids))
    numbers[id] = unsigned(number);
  for (auto [number, id] : llvm::enumerate(ids)) {
    llvm::ArrayRef<double> costs = other.unary[id];
    double *copy = allocate(costs.size());
    std::copy(costs.begin(), costs.end(), copy);
    unary.push_back({copy, costs.size()});
    positions.push_back(other.positions[id]);
    changed.push_back(unsigned(number));
    for (Neighbour neighbour : other.neighbours[id]) {
      neighbour.node = numbers[neighbour.node];
      neighbours[number].push_back(neighbour);
    }
  }
}

const double *PairwiseModel::transpose(const double *table, size_t rows,
                                       size_t columns) {
  double *result = allocate(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[j * rows + i] = table[i * columns + j];
  return result;
}

const double *PairwiseModel::add(const double *a, const double *b,
                                 size_t count) {
  double *sum = allocate(count);
  for (size_t i = 0; i < count; ++i)
    sum[i] = a[i] + b[i];
  return sum;
}

/// Adds to the table of the two nodes, if they have one.
void PairwiseModel::connect(unsigned a, unsigned b, const double *table,
                            const double *transposed) {
  auto find = [&](unsigned from, unsigned to) {
    return llvm::find_if(neighbours[from], [&](const Neighbour &neighbour) {
      return neighbour.node == to;
    });
  };
  bool fromA = neighbours[a].size() <= neighbours[b].size();
  auto it = fromA ? find(a, b) : find(b, a);
  if (it == neighbours[fromA ? a : b].end()) {
    neighbours[a].push_back({b, table, transposed});
    neighbours[b].push_back({a, transposed, table});
    return;
  }
  Neighbour &ofA = fromA ? *it : *find(a, b), &ofB = fromA ? *find(b, a) : *it;
  size_t size = size_t(getNumLabels(a)) * getNumLabels(b);
  ofA.table = ofB.transposed = add(ofA.table, table, size);
  ofB.table = ofA.transposed = add(ofB.table, transposed, size);
}

void PairwiseModel::disconnect(unsigned node, unsigned other) {
  auto it = llvm::find_if(neighbours[node], [&](const Neighbour &neighbour) {
    return neighbour.node == other;
  });
  *it = neighbours[node].back();
  neighbours[node].pop_back();
}

bool PairwiseModel::canEliminate(unsigned node, size_t maxTable) const {
  if (!alive[node] || neighbours[node].size() > 2)
    return false;
  size_t size = 1;
  for (const Neighbour &neighbour : neighbours[node])
    size *= getNumLabels(neighbour.node);
  return neighbours[node].size() < 2 || size <= maxTable;
}

/// The table of two nodes that were both joined to one with the costs `own`.
PARTITA_VECTORISED static void combine(llvm::ArrayRef<double> own,
                                       const double *transposedA, size_t widthA,
                                       const double *tableB, size_t widthB,
                                       double *costs, double *combined) {
  for (size_t i = 0; i < widthA; ++i, transposedA += own.size()) {
    for (size_t label = 0; label < own.size(); ++label)
      costs[label] = own[label] + transposedA[label];
    takeLeast(tableB, costs, own.size(), combined + i * widthB, widthB);
  }
}

void PairwiseModel::eliminateNode(unsigned node) {
  Elimination elimination{node,
                          {neighbours[node].begin(), neighbours[node].end()}};
  auto &sides = elimination.sides;
  llvm::sort(sides, [](const Neighbour &a, const Neighbour &b) {
    return a.node < b.node;
  });
  llvm::MutableArrayRef<double> own = unary[node];
  alive[node] = false;
  for (const Neighbour &side : sides)
    disconnect(side.node, node);
  neighbours[node].clear();
  if (sides.empty()) {
    constant += *llvm::min_element(own);
  } else if (sides.size() == 1) {
    llvm::SmallVector<double> least(getNumLabels(sides[0].node));
    takeLeast(sides[0].table, own.data(), own.size(), least.data(),
              least.size());
    for (auto [total, cost] : llvm::zip_equal(unary[sides[0].node], least))
      total += cost;
  } else {
    size_t first = getNumLabels(sides[0].node),
           second = getNumLabels(sides[1].node);
    double *combined = allocate(first * second);
    llvm::SmallVector<double> costs(own.size());
    combine(own, sides[0].transposed, first, sides[1].table, second,
            costs.data(), combined);
    connect(sides[0].node, sides[1].node, combined,
            transpose(combined, first, second));
  }
  eliminations.push_back(std::move(elimination));
}

void PairwiseModel::eliminate(size_t maxTable) {
  // Of least degree first; entries that a later one has overtaken are harmless.
  using Entry = std::pair<size_t, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  auto enqueue = [&](unsigned node) {
    if (canEliminate(node, maxTable))
      queue.push({neighbours[node].size(), node});
  };
  for (unsigned node : changed)
    enqueue(node);
  changed.clear();
  while (!queue.empty()) {
    unsigned node = queue.top().second;
    queue.pop();
    if (!canEliminate(node, maxTable))
      continue;
    eliminateNode(node);
    for (const Neighbour &side : eliminations.back().sides)
      enqueue(side.node);
  }
}

void PairwiseModel::fix(unsigned node, unsigned label) {
  constant += unary[node][label];
  alive[node] = false;
  for (const Neighbour &side : neighbours[node]) {
    llvm::MutableArrayRef<double> costs = unary[side.node];
    const double *row = side.table + label * costs.size();
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += row[i];
    disconnect(side.node, node);
    changed.push_back(side.node);
  }
  neighbours[node].clear();
}

/// The best label of each given those of its sides, which went later.
void PairwiseModel::complete(std::vector<unsigned> &labels) const {
  llvm::SmallVector<double> costs;
  for (const Elimination &elimination : llvm::reverse(eliminations)) {
    llvm::ArrayRef<double> own = unary[elimination.node];
    costs.assign(own.begin(), own.end());
    for (const Neighbour &side : elimination.sides) {
      const double *row = side.transposed + labels[side.node] * own.size();
      for (size_t label = 0; label < own.size(); ++label)
        costs[label] += row[label];
    }
    labels[elimination.node] = llvm::min_element(costs) - costs.begin();
  }
}
