// Prices what placement did not choose. Reads a solved problem, before the
// module is rewritten.
#include "StrategyPrices.h"
#include "InnerCosts.h"
#include "OpStrategies.h"

using namespace mlir;

namespace partita {
namespace {

class Pricer {
public:
  Pricer(ReshardCosts &costs, const ValueFlow &flow,
         const PlacementProblem &problem)
      : costs(costs), flow(flow), problem(problem), labels(costs, flow) {}

  SmallVector<SplitStrategy> price(unsigned node);

private:
  SmallVector<FactorSharding> collectChoices(unsigned node);
  SplitStrategy price(unsigned node, const FactorSharding &choice);
  double getCost(const FlowValue &value, spmd::ShardingAttr from,
                 spmd::ShardingAttr to);

  ReshardCosts &costs;
  const ValueFlow &flow;
  const PlacementProblem &problem;
  LabelCache labels;
};

} // namespace

SmallVector<FactorSharding> Pricer::collectChoices(unsigned number) {
  const FlowNode &node = *flow.nodes[number];
  const FactorSharding &chosen = problem.getSplit(number);
  SmallVector<FactorSharding> choices{chosen};
  auto add = [&](const FactorSharding &choice) {
    if (!llvm::is_contained(choices, choice))
      choices.push_back(choice);
  };
  for (spmd::MeshAxisAttr axis : node.mesh.getAxes()) {
    if (axis.getSize() <= 1 ||
        (node.manualAxes &&
         llvm::any_of(node.manualAxes.getAxes(), [&](spmd::AxisRefAttr manual) {
           return manual.getName() == axis.getName();
         })))
      continue;
    auto whole =
        spmd::AxisRefAttr::get(axis.getContext(), axis.getName(), 0, 0);
    llvm::for_each(labels.get(number, chosen, whole).labels, add);
  }
  SmallVector<spmd::ShardingAttr> operands, results;
  for (Value operand : node.op->getOperands())
    operands.push_back(spmd::getSharding(operand));
  for (Value result : node.op->getResults())
    results.push_back(spmd::getSharding(result));
  llvm::for_each(
      makeStrategies({*node.rule, node.meshName, node.mesh, operands, results}),
      add);
  return choices;
}

double Pricer::getCost(const FlowValue &value, spmd::ShardingAttr from,
                       spmd::ShardingAttr to) {
  if (!from || !to)
    return 0;
  double cost = costs.getReshardCost(from, to, value.type, value.manualAxes);
  if (spmd::ShardingAttr kept = problem.getKept(value.value))
    cost = std::min(
        cost, costs.getReshardCost(kept, to, value.type, value.manualAxes));
  return value.trips * cost;
}

SplitStrategy Pricer::price(unsigned number, const FactorSharding &choice) {
  const FlowNode &node = *flow.nodes[number];
  SplitStrategy strategy;
  NodeLayouts layouts(node, choice);
  for (unsigned i = 0, e = node.op->getNumOperands(); i < e; ++i)
    strategy.operands.push_back(spmd::getSharding(node.op->getOperand(i))
                                    ? layouts.operands[i]
                                    : nullptr);
  for (unsigned i = 0, e = node.op->getNumResults(); i < e; ++i)
    strategy.results.push_back(layouts.results[i]);
  strategy.work = node.trips * (labels.getComputeCost(node, choice, layouts) +
                                getInnerCost(costs, node, choice));
  for (const FlowValue &value : flow.values) {
    bool isOwn = value.node == int(number);
    for (const FlowUse &use : value.uses) {
      if (use.node == int(number) && use.operand)
        strategy.incoming += getCost(value, problem.getSource(value),
                                     strategy.operands[use.index]);
      else if (isOwn)
        strategy.outgoing += getCost(value, strategy.results[value.index],
                                     problem.getWanted(use));
    }
  }
  return strategy;
}

SmallVector<SplitStrategy> Pricer::price(unsigned node) {
  SmallVector<SplitStrategy> strategies;
  for (const FactorSharding &choice : collectChoices(node)) {
    SplitStrategy strategy = price(node, choice);
    strategy.isChosen = choice == problem.getSplit(node);
    auto place =
        llvm::upper_bound(strategies, strategy,
                          [](const SplitStrategy &a, const SplitStrategy &b) {
                            return a.getTotal() < b.getTotal();
                          });
    strategies.insert(place, std::move(strategy));
  }
  return strategies;
}

std::vector<PricedOp> priceStrategies(ReshardCosts &costs,
                                      const ValueFlow &flow,
                                      const PlacementProblem &problem,
                                      PlacementObserver &observer) {
  std::vector<PricedOp> priced;
  std::optional<Pricer> pricer;
  for (auto [number, node] : llvm::enumerate(flow.nodes)) {
    if (!node->op || !observer.wantsStrategies(node->op))
      continue;
    if (!pricer)
      pricer.emplace(costs, flow, problem);
    priced.push_back({node->op, pricer->price(number)});
  }
  return priced;
}

} // namespace partita
