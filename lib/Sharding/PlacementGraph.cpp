// The entry point of the solver.
#include "partita/Sharding/PlacementGraph.h"
#include "GraphQuotient.h"
#include "MessagePassing.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace partita;

uint64_t partita::hashCosts(llvm::ArrayRef<double> costs) {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(costs.data()),
                     costs.size() * sizeof(double)));
}

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
        solveCore(model, baseline, options.maxSweeps, options.tolerance);
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
