// Builds and solves the labelling problem of a module.

#include "PlacementProblem.h"

using namespace mlir;

namespace partita {

double PlacementProblem::price(Operation *op, const OpContext &context,
                               const OpStrategy &strategy) {
  double work = context.rule.flopsPerPoint;
  for (const spmd::Factor &factor : context.rule.factors)
    work *= factor.size;
  double bytes = 0, cost = 0;
  spmd::AxisListAttr manualAxes = costs.getManualAxes(op);
  auto tensorCost = [&](Value value, spmd::ShardingAttr from,
                        spmd::ShardingAttr to, spmd::ShardingAttr held) {
    if (!from)
      return;
    auto type = cast<RankedTensorType>(value.getType());
    cost += costs.getReshardCost(from, to, type, manualAxes);
    bytes += costs.getLocalBytes(held, type);
  };
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    tensorCost(operand, context.operands[index], strategy.operands[index],
               strategy.operands[index]);
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    tensorCost(result, strategy.results[index], context.results[index],
               strategy.results[index]);
  return cost + costs.getComputeCost(work / strategy.shards, bytes);
}

void PlacementProblem::add(Operation *op, const spmd::ShardingRule &rule) {
  SmallVector<spmd::ShardingAttr> operands, results;
  FlatSymbolRefAttr meshName;
  auto collect = [&](ValueRange values,
                     SmallVectorImpl<spmd::ShardingAttr> &list) {
    for (Value value : values) {
      spmd::ShardingAttr sharding = isa<RankedTensorType>(value.getType())
                                        ? spmd::getSharding(value)
                                        : nullptr;
      list.push_back(sharding);
      if (sharding && (!meshName || sharding.hasShardedDim()))
        meshName = sharding.getMesh();
    }
  };
  collect(op->getOperands(), operands);
  collect(op->getResults(), results);
  if (!meshName)
    return;
  OpContext context{rule, meshName, costs.getMesh(meshName), operands, results};
  strategies.push_back(makeStrategies(context));
  SmallVector<double, 4> prices;
  for (const OpStrategy &strategy : strategies.back())
    prices.push_back(price(op, context, strategy));
  nodes[op] = graph.addNode(prices);
  labels.push_back(std::distance(prices.begin(), llvm::min_element(prices)));
}

void PlacementProblem::solve() {
  PlacementOptions options;
  options.baseline = labels;
  labels = partita::solve(graph, options).labels;
}

const OpStrategy *PlacementProblem::getStrategy(Operation *op) const {
  auto it = nodes.find(op);
  return it == nodes.end() ? nullptr
                           : &strategies[it->second][labels[it->second]];
}

} // namespace partita
