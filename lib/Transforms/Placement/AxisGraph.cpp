// Edges and costs of the labelling graph of one axis.

#include "AxisGraph.h"

using namespace mlir;

namespace partita {

/// Reshards between the layouts of both lists, row by row.
SmallVector<double>
UseCostCache::getCosts(const FlowValue &value,
                       ArrayRef<spmd::ShardingAttr> sources,
                       ArrayRef<spmd::ShardingAttr> targets) {
  SmallVector<double> table;
  for (spmd::ShardingAttr from : sources)
    for (spmd::ShardingAttr to : targets)
      table.push_back(getCost(value, from, to));
  return table;
}

void UseCostCache::priceOne(UseCosts &result, const FlowValue &value,
                            const LabelEnd &source, const LabelEnd &use) {
  SmallVector<double> table = getCosts(value, source.distinct, use.distinct);
  auto &matrix = result.matrices.emplace_back();
  for (unsigned from : source.byLabel)
    for (unsigned to : use.byLabel)
      matrix.push_back(table[from * use.distinct.size() + to]);
}

void UseCostCache::priceSeveral(UseCosts &result, const FlowValue &value,
                                const LabelEnd &source,
                                ArrayRef<const LabelEnd *> uses) {
  LabelEnd layouts;
  for (const LabelEnd *use : uses)
    for (spmd::ShardingAttr wanted : use->distinct)
      layouts.addLayout(wanted);
  size_t count = layouts.distinct.size();
  SmallVector<double> direct =
      getCosts(value, source.distinct, layouts.distinct);
  SmallVector<double> fromKept =
      getCosts(value, layouts.distinct, layouts.distinct);
  // Rows: what the node gives, alone and with each layout besides. One that
  // costs nothing to make from it need not be kept.
  SmallVector<unsigned> given;
  std::vector<double> served;
  for (size_t from = 0; from < source.distinct.size(); ++from) {
    ArrayRef<double> costs = ArrayRef(direct).slice(from * count, count);
    given.push_back(from);
    result.kept.push_back(nullptr);
    result.making.push_back(0);
    llvm::append_range(served, costs);
    for (size_t keep = 0; keep < count; ++keep) {
      if (costs[keep] == 0 || costs[keep] == infiniteCost)
        continue;
      given.push_back(from);
      result.kept.push_back(layouts.distinct[keep]);
      result.making.push_back(costs[keep]);
      for (size_t to = 0; to < count; ++to)
        served.push_back(std::min(costs[to], fromKept[keep * count + to]));
    }
  }
  std::vector<double> atBaseline(result.making);
  for (const LabelEnd *use : uses) {
    SmallVector<unsigned, 8> places;
    for (unsigned index : use->byLabel)
      places.push_back(layouts.addLayout(use->distinct[index]));
    auto &matrix = result.matrices.emplace_back();
    matrix.reserve(given.size() * places.size());
    for (size_t row = 0; row < given.size(); ++row) {
      for (unsigned place : places)
        matrix.push_back(served[row * count + place]);
      atBaseline[row] += served[row * count + places[0]];
    }
  }
  for (unsigned from : source.byLabel)
    for (unsigned rowGiven : given)
      result.rows.push_back(rowGiven == from ? 0 : infiniteCost);
  double least = infiniteCost;
  for (auto [row, cost] : llvm::enumerate(atBaseline))
    if (given[row] == source.byLabel[0] && cost < least) {
      least = cost;
      result.baselineRow = row;
    }
}

const UseCosts &UseCostCache::get(const FlowValue &value,
                                  const LabelEnd &source,
                                  ArrayRef<const LabelEnd *> uses) {
  PointerList key{value.type.getAsOpaquePointer(),
                  value.manualAxes.getAsOpaquePointer()};
  auto addEnd = [&](const LabelEnd &end) {
    // Ends of the label cache live on; given layouts are their sharding.
    key.push_back(end.byLabel.size() == 1 ? end.distinct[0].getAsOpaquePointer()
                                          : static_cast<const void *>(&end));
  };
  addEnd(source);
  for (const LabelEnd *use : uses)
    addEnd(*use);
  std::unique_ptr<UseCosts> &entry = known[key];
  if (entry)
    return *entry;
  entry = std::make_unique<UseCosts>();
  if (uses.size() == 1)
    priceOne(*entry, value, source, *uses[0]);
  else
    priceSeveral(*entry, value, source, uses);
  return *entry;
}

const LabelEnd &AxisGraph::getGiven(spmd::ShardingAttr sharding) {
  std::unique_ptr<LabelEnd> &end = given[sharding];
  if (!end) {
    end = std::make_unique<LabelEnd>();
    end->byLabel.push_back(end->addLayout(sharding));
  }
  return *end;
}

/// Adds `trips` times the costs to the labels of one node.
static void addUnary(PlacementNode &node, ArrayRef<double> costs,
                     double trips) {
  for (auto [total, cost] : llvm::zip_equal(node.costs, costs))
    total += cost * trips;
}

/// Part of the program's time for which a copy counts that one op alone reads:
/// it is in memory with all that lives then.
constexpr double kTransientLife = 0.02;

double AxisGraph::getMemoryCost(const FlowValue &value,
                                spmd::ShardingAttr layout, double life) const {
  return layout ? memoryPrice * std::max(life, kTransientLife) *
                      cache.getLocalBytes(value, layout)
                : 0;
}

/// What the value itself takes, by the labels of the node that gives it.
void AxisGraph::addMemoryCosts(const FlowValue &value) {
  if (memoryPrice == 0 || value.node < 0)
    return;
  const LabelEnd &end = labels[value.node]->results[value.index];
  SmallVector<double> costs;
  for (spmd::ShardingAttr layout : end.distinct)
    costs.push_back(getMemoryCost(value, layout, flow.getLife(value)));
  for (auto [label, index] : llvm::enumerate(end.byLabel))
    graph.nodes[value.node].costs[label] += costs[index];
}

/// The costs of a single use with those of the copy that it reads.
std::vector<double> AxisGraph::addTransients(const FlowValue &value,
                                             const LabelEnd &source,
                                             const LabelEnd &use,
                                             ArrayRef<double> matrix) const {
  std::vector<double> result(matrix);
  SmallVector<double> costs;
  for (spmd::ShardingAttr layout : use.distinct)
    costs.push_back(getMemoryCost(value, layout, 0) / value.trips);
  auto it = result.begin();
  for (unsigned from : source.byLabel)
    for (unsigned to : use.byLabel)
      *it++ += source.distinct[from] == use.distinct[to] ? 0 : costs[to];
  return result;
}

/// The graph's copy of costs that live as long as this does.
unsigned AxisGraph::getMatrix(ArrayRef<double> costs) {
  auto [it, isNew] = matrices.try_emplace(costs.data());
  if (!isNew)
    return it->second;
  // The two largest numbers can't be keys.
  SmallVectorImpl<unsigned> &candidates = byHash[hashCosts(costs) >> 1];
  for (unsigned candidate : candidates)
    if (ArrayRef(graph.matrices[candidate]) == costs)
      return it->second = candidate;
  candidates.push_back(graph.addMatrix(costs));
  return it->second = candidates.back();
}

void AxisGraph::addValue(const FlowValue &value, unsigned index) {
  SmallVector<const LabelEnd *, 4> ends;
  SmallVector<int, 4> users;
  for (const FlowUse &use : value.uses) {
    const LabelEnd &end = use.node < 0 ? getGiven(use.given)
                                       : labels[use.node]->operands[use.index];
    // Two uses that are given one layout take one reshard.
    if (use.node < 0 && llvm::is_contained(ends, &end))
      continue;
    ends.push_back(&end);
    users.push_back(use.node);
  }
  if (ends.empty() || (value.node < 0 && ends.size() == 1 && users[0] < 0))
    return;
  const LabelEnd &source = value.node < 0
                               ? getGiven(value.given)
                               : labels[value.node]->results[value.index];
  const UseCosts &costs = cache.get(value, source, ends);
  auto connect = [&](int a, int b, ArrayRef<double> matrix) {
    if (a < 0)
      addUnary(graph.nodes[b], matrix, value.trips);
    else if (b < 0)
      addUnary(graph.nodes[a], matrix, value.trips);
    else
      graph.connect(a, b, getMatrix(matrix), value.trips);
  };
  if (ends.size() == 1 && memoryPrice == 0)
    return connect(value.node, users[0], costs.matrices[0]);
  if (ends.size() == 1) {
    withTransients.push_back(
        addTransients(value, source, *ends[0], costs.matrices[0]));
    return connect(value.node, users[0], withTransients.back());
  }
  SmallVector<double> making(costs.making.size(), 0);
  // Beside the node that gives it or, if none does, the first that takes it.
  int beside = value.node;
  for (int user : users)
    beside = beside < 0 ? user : beside;
  int node = graph.addNode(making, beside + 0.5);
  addUnary(graph.nodes[node], costs.making, value.trips);
  if (memoryPrice != 0)
    for (auto [row, kept] : llvm::enumerate(costs.kept))
      graph.nodes[node].costs[row] +=
          getMemoryCost(value, kept, flow.getLife(value));
  for (auto [user, matrix] : llvm::zip_equal(users, costs.matrices))
    connect(node, user, matrix);
  if (value.node >= 0)
    graph.connect(value.node, node, getMatrix(costs.rows));
  baseline.push_back(costs.baselineRow);
  keptValues.push_back({index, &costs});
}

void AxisGraph::build() {
  // About every fourth value has a node of its own, and most have an edge.
  graph.nodes.reserve(flow.nodes.size() + flow.values.size() / 4);
  graph.edges.reserve(flow.values.size() + flow.values.size() / 4);
  for (auto [node, set] : llvm::zip_equal(flow.nodes, labels)) {
    SmallVector<double, 4> costs(set->costs);
    for (double &cost : costs)
      cost *= node->trips;
    graph.addNode(costs);
  }
  baseline.assign(flow.nodes.size(), 0);
  for (auto [index, value] : llvm::enumerate(flow.values)) {
    addMemoryCosts(value);
    addValue(value, index);
  }
}

} // namespace partita
