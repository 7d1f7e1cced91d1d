// Exact elimination of the parts of a placement graph that are trees or
// series-parallel, and the entry point of the solver.
#include "partita/Sharding/PlacementGraph.h"
#include "GraphQuotient.h"
#include "PairwiseModel.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace partita;

double PlacementGraph::getCost(llvm::ArrayRef<unsigned> labels) const {
  double cost = 0;
  for (size_t i = 0; i < nodes.size(); ++i)
    cost += nodes[i].costs[labels[i]];
  for (const PlacementEdge &edge : edges)
    cost += edge.weight *
            matrices[edge.matrix]
                    [labels[edge.a] * getNumLabels(edge.b) + labels[edge.b]];
  return cost;
}

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
    : tables(graph.nodes.size()), alive(graph.nodes.size(), true) {
  double forbidden = getForbiddenCost(graph);
  auto makeFinite = [&](double cost) {
    return std::isfinite(cost) ? cost : forbidden;
  };
  for (const PlacementNode &node : graph.nodes) {
    std::vector<double> costs;
    for (double cost : node.costs)
      costs.push_back(makeFinite(cost));
    unary.push_back(std::move(costs));
    positions.push_back(node.position);
  }
  for (const PlacementEdge &edge : graph.edges) {
    size_t labelsB = graph.getNumLabels(edge.b);
    Table table;
    for (double cost : graph.matrices[edge.matrix])
      table.push_back(makeFinite(edge.weight * cost));
    if (edge.a == edge.b) {
      for (size_t label = 0; label < labelsB; ++label)
        unary[edge.a][label] += table[label * labelsB + label];
      continue;
    }
    addTable(edge.a, edge.b, table);
  }
}

void PairwiseModel::addTable(unsigned a, unsigned b, const Table &table) {
  size_t labelsA = getNumLabels(a), labelsB = getNumLabels(b);
  Table &forward = tables[a][b], &backward = tables[b][a];
  forward.resize(table.size());
  backward.resize(table.size());
  for (size_t i = 0; i < labelsA; ++i)
    for (size_t j = 0; j < labelsB; ++j) {
      forward[i * labelsB + j] += table[i * labelsB + j];
      backward[j * labelsA + i] += table[i * labelsB + j];
    }
}

bool PairwiseModel::canEliminate(unsigned node, size_t maxTable) const {
  if (!alive[node] || tables[node].size() > 2)
    return false;
  size_t size = 1;
  for (const auto &entry : tables[node])
    size *= getNumLabels(entry.first);
  return tables[node].size() < 2 || size <= maxTable;
}

void PairwiseModel::eliminateNode(unsigned node) {
  Elimination elimination{node, {}, {}};
  llvm::SmallVector<const Table *, 2> sides;
  for (const auto &entry : tables[node]) {
    elimination.neighbours.push_back(entry.first);
    sides.push_back(&entry.second);
  }
  size_t degree = sides.size();
  size_t first = degree > 0 ? getNumLabels(elimination.neighbours[0]) : 1;
  size_t second = degree > 1 ? getNumLabels(elimination.neighbours[1]) : 1;
  Table combined(first * second, infiniteCost);
  elimination.best.assign(first * second, 0);
  for (size_t label = 0; label < unary[node].size(); ++label)
    for (size_t i = 0; i < first; ++i) {
      double base = unary[node][label];
      if (degree > 0)
        base += (*sides[0])[label * first + i];
      for (size_t j = 0; j < second; ++j) {
        double cost =
            base + (degree > 1 ? (*sides[1])[label * second + j] : 0.0);
        if (cost < combined[i * second + j]) {
          combined[i * second + j] = cost;
          elimination.best[i * second + j] = unsigned(label);
        }
      }
    }
  alive[node] = false;
  for (unsigned neighbour : elimination.neighbours)
    tables[neighbour].erase(node);
  tables[node].clear();
  if (degree == 0)
    constant += combined[0];
  else if (degree == 1)
    for (size_t i = 0; i < first; ++i)
      unary[elimination.neighbours[0]][i] += combined[i];
  else
    addTable(elimination.neighbours[0], elimination.neighbours[1], combined);
  eliminations.push_back(std::move(elimination));
}

void PairwiseModel::eliminate(size_t maxTable) {
  std::set<std::pair<size_t, unsigned>> queue;
  for (unsigned node = 0; node < unary.size(); ++node)
    if (canEliminate(node, maxTable))
      queue.insert({tables[node].size(), node});
  while (!queue.empty()) {
    auto [degree, node] = *queue.begin();
    queue.erase(queue.begin());
    if (!canEliminate(node, maxTable))
      continue;
    llvm::SmallVector<unsigned, 2> neighbours;
    for (const auto &entry : tables[node])
      neighbours.push_back(entry.first);
    eliminateNode(node);
    for (unsigned neighbour : neighbours)
      if (canEliminate(neighbour, maxTable))
        queue.insert({tables[neighbour].size(), neighbour});
  }
}

void PairwiseModel::complete(std::vector<unsigned> &labels) const {
  for (size_t i = eliminations.size(); i-- > 0;) {
    const Elimination &elimination = eliminations[i];
    size_t index = 0;
    for (unsigned neighbour : elimination.neighbours)
      index = index * getNumLabels(neighbour) + labels[neighbour];
    labels[elimination.node] = elimination.best[index];
  }
}

double PairwiseModel::getCost(llvm::ArrayRef<unsigned> labels) const {
  double cost = 0;
  for (unsigned node = 0; node < unary.size(); ++node) {
    if (!alive[node])
      continue;
    cost += unary[node][labels[node]];
    for (const auto &[other, table] : tables[node])
      if (node < other)
        cost += table[labels[node] * getNumLabels(other) + labels[other]];
  }
  return cost;
}

/// Labels and bound by elimination and message passing.
static PlacementSolution solveWhole(const PlacementGraph &graph,
                                    const std::vector<unsigned> &baseline,
                                    const PlacementOptions &options) {
  PlacementSolution solution;
  PairwiseModel model(graph);
  model.eliminate(options.maxTable);
  bool hasCore = false;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    hasCore |= model.isAlive(node);
  solution.labels.assign(graph.nodes.size(), 0);
  solution.lowerBound = model.getConstant();
  if (hasCore) {
    CoreSolution core =
        solveCore(model, {baseline}, options.maxSweeps, options.tolerance);
    solution.labels = core.labels;
    solution.lowerBound += core.lowerBound;
  }
  model.complete(solution.labels);
  return solution;
}

/// Labels of the quotient's nodes for all that each stands for.
static PlacementSolution solveQuotient(const GraphQuotient &quotient,
                                       llvm::ArrayRef<unsigned> baseline,
                                       const PlacementOptions &options) {
  std::vector<unsigned> start;
  for (unsigned node : quotient.representatives)
    start.push_back(baseline[node]);
  PlacementSolution inner = solveWhole(quotient.graph, start, options);
  PlacementSolution solution;
  for (unsigned index : quotient.indices)
    solution.labels.push_back(inner.labels[index]);
  return solution;
}

PlacementSolution partita::solve(const PlacementGraph &graph,
                                 const PlacementOptions &options) {
  std::vector<unsigned> baseline = options.baseline;
  if (baseline.size() != graph.nodes.size())
    baseline.assign(graph.nodes.size(), 0);
  std::optional<GraphQuotient> quotient;
  if (options.mergeDepth > 0)
    quotient = mergeEqualNodes(graph, options.mergeDepth);
  PlacementSolution solution = quotient
                                   ? solveQuotient(*quotient, baseline, options)
                                   : solveWhole(graph, baseline, options);
  solution.cost = graph.getCost(solution.labels);
  double baselineCost = graph.getCost(baseline);
  if (baselineCost <= solution.cost) {
    solution.labels = baseline;
    solution.cost = baselineCost;
  }
  solution.lowerBound = std::min(solution.lowerBound, solution.cost);
  return solution;
}
