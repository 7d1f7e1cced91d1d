// The placement solver against brute force on small random graphs.
#include "partita/Sharding/PlacementGraph.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace partita;

namespace {

double bruteForce(const PlacementGraph &graph) {
  std::vector<unsigned> labels(graph.nodes.size(), 0);
  double best = infiniteCost;
  while (true) {
    best = std::min(best, graph.getCost(labels));
    size_t i = 0;
    while (i < labels.size() && ++labels[i] == graph.getNumLabels(i))
      labels[i++] = 0;
    if (i == labels.size())
      return best;
  }
}

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  unsigned pick(unsigned count) { return engine() % count; }
  std::vector<double> costs(size_t count, bool forbid) {
    std::vector<double> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(forbid && pick(6) == 0 ? infiniteCost
                                              : double(pick(20)));
    return result;
  }

private:
  std::mt19937 engine;
};

PlacementGraph makeGraph(Random &random, unsigned nodes, bool isTree) {
  PlacementGraph graph;
  for (unsigned i = 0; i < nodes; ++i)
    graph.addNode(random.costs(2 + random.pick(3), false));
  auto connect = [&](unsigned a, unsigned b) {
    graph.addEdge(a, b,
                  random.costs(graph.getNumLabels(a) * graph.getNumLabels(b),
                               !isTree && random.pick(2)));
  };
  for (unsigned i = 1; i < nodes; ++i)
    connect(random.pick(i), i);
  if (!isTree)
    for (unsigned i = 0; i < nodes; ++i) {
      unsigned a = random.pick(nodes), b = random.pick(nodes);
      if (a != b)
        connect(a, b);
    }
  return graph;
}

TEST(PlacementGraph, TreesAreExact) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    PlacementGraph graph = makeGraph(random, 8, /*isTree=*/true);
    PlacementSolution solution = solve(graph);
    EXPECT_DOUBLE_EQ(solution.cost, bruteForce(graph));
    EXPECT_TRUE(solution.isOptimal());
    EXPECT_DOUBLE_EQ(solution.cost, graph.getCost(solution.labels));
  }
}

/// Tables are read in groups of columns: all remainders, in elimination and
/// (with tables too small for that) in messages.
TEST(PlacementGraph, AnyNumberOfLabels) {
  Random random(6);
  for (unsigned labels = 1; labels <= 13; ++labels)
    for (size_t maxTable : {size_t(1), PlacementOptions().maxTable}) {
      PlacementGraph graph;
      for (unsigned i = 0; i < 4; ++i)
        graph.addNode(random.costs(i == 1 ? 3 : labels, false));
      for (auto [a, b] : {std::pair(0, 1), {1, 2}, {2, 3}, {0, 2}, {1, 3}})
        graph.addEdge(
            a, b,
            random.costs(graph.getNumLabels(a) * graph.getNumLabels(b),
                         /*forbid=*/false));
      PlacementOptions options;
      options.maxTable = maxTable;
      PlacementSolution solution = solve(graph, options);
      double best = bruteForce(graph);
      EXPECT_LE(solution.lowerBound, best + 1e-9) << labels;
      if (maxTable > 1)
        EXPECT_DOUBLE_EQ(solution.cost, best) << labels;
      else
        EXPECT_GE(solution.cost, best - 1e-9) << labels;
    }
}

TEST(PlacementGraph, BoundsHoldOnCycles) {
  Random random(2);
  unsigned numOptimal = 0, count = 200;
  for (unsigned i = 0; i < count; ++i) {
    PlacementGraph graph = makeGraph(random, 8, /*isTree=*/false);
    PlacementSolution solution = solve(graph);
    double best = bruteForce(graph);
    EXPECT_GE(solution.cost, best - 1e-9);
    if (std::isfinite(best)) {
      EXPECT_LE(solution.lowerBound, best + 1e-9);
      EXPECT_TRUE(std::isfinite(solution.cost));
    }
    numOptimal += solution.cost == best;
  }
  EXPECT_GE(numOptimal, count * 9 / 10);
}

/// Every pair of nodes has a table: bounds stay below, and what is left of the
/// gap is searched.
TEST(PlacementGraph, DenseGraphs) {
  Random random(7);
  unsigned numOptimal = 0, count = 60;
  for (unsigned i = 0; i < count; ++i) {
    PlacementGraph graph;
    for (unsigned node = 0; node < 8; ++node) {
      graph.addNode(random.costs(3, false));
      for (unsigned other = 0; other < node; ++other)
        graph.addEdge(other, node, random.costs(9, false));
    }
    PlacementSolution solution = solve(graph);
    double best = bruteForce(graph);
    EXPECT_LE(solution.lowerBound, best + 1e-9);
    EXPECT_LE(solution.cost, best * 1.1);
    numOptimal += solution.cost == best;
  }
  EXPECT_GE(numOptimal, count * 9 / 10);
}

TEST(PlacementGraph, OneMatrixInTwoShapes) {
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    PlacementGraph graph;
    for (unsigned labels : {2, 3, 3, 2, 4})
      graph.addNode(random.costs(labels, false));
    unsigned matrix = graph.addMatrix(random.costs(6, false));
    graph.connect(0, 1, matrix);
    graph.connect(2, 3, matrix);
    graph.connect(1, 0, matrix);
    graph.connect(3, 2, matrix);
    for (unsigned node = 0; node < 4; ++node)
      graph.addEdge(node, 4,
                    random.costs(graph.getNumLabels(node) * 4, false));
    for (size_t maxTable : {size_t(1), PlacementOptions().maxTable}) {
      PlacementOptions options;
      options.maxTable = maxTable;
      PlacementSolution solution = solve(graph, options);
      double best = bruteForce(graph);
      EXPECT_LE(solution.lowerBound, best + 1e-9);
      EXPECT_DOUBLE_EQ(solution.cost, best);
    }
  }
}

TEST(PlacementGraph, NeverWorseThanTheBaseline) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    PlacementGraph graph = makeGraph(random, 30, /*isTree=*/false);
    PlacementOptions options;
    for (size_t node = 0; node < graph.nodes.size(); ++node)
      options.baseline.push_back(random.pick(graph.getNumLabels(node)));
    options.maxTable = 1;
    options.maxSweeps = 3;
    EXPECT_LE(solve(graph, options).cost, graph.getCost(options.baseline));
  }
}

TEST(PlacementGraph, LongChains) {
  Random random(4);
  PlacementGraph graph;
  for (unsigned i = 0; i < 20000; ++i) {
    graph.addNode(random.costs(8, false));
    if (i)
      graph.addEdge(i - 1, i, random.costs(64, false));
  }
  EXPECT_TRUE(solve(graph).isOptimal());
}

/// Equal layers in a row, each a random graph, between two ends of their own.
TEST(PlacementGraph, EqualLayersAreSolvedOnce) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    PlacementGraph graph;
    unsigned seam = 0, count = 40, width = 6;
    for (unsigned layer = 0; layer < count; ++layer) {
      Random random(seed);
      PlacementGraph one = makeGraph(random, width, /*isTree=*/false);
      unsigned first = graph.nodes.size();
      for (const PlacementNode &node : one.nodes)
        graph.addNode(node.costs);
      if (layer == 0)
        graph.matrices = one.matrices;
      for (const PlacementEdge &edge : one.edges)
        graph.connect(first + edge.a, first + edge.b, edge.matrix);
      if (layer == 0)
        seam = graph.addMatrix(random.costs(
            graph.getNumLabels(width - 1) * graph.getNumLabels(0), false));
      else
        graph.connect(first - 1, first, seam);
    }
    for (double &cost : graph.nodes.front().costs)
      cost *= 3;
    PlacementOptions options;
    options.mergeDepth = 8;
    PlacementSolution merged = solve(graph, options), whole = solve(graph);
    EXPECT_DOUBLE_EQ(merged.cost, graph.getCost(merged.labels));
    EXPECT_EQ(merged.lowerBound, 0);
    EXPECT_LE(merged.cost, whole.cost * 1.03);
  }
}

TEST(PlacementGraph, UnequalNodesStayApart) {
  Random random(5);
  PlacementGraph graph = makeGraph(random, 30, /*isTree=*/true);
  PlacementOptions options;
  options.mergeDepth = 3;
  PlacementSolution solution = solve(graph, options);
  EXPECT_DOUBLE_EQ(solution.cost, solve(graph).cost);
  EXPECT_TRUE(solution.isOptimal());
}

TEST(PlacementGraph, Empty) { EXPECT_EQ(solve(PlacementGraph()).cost, 0); }

} // namespace
