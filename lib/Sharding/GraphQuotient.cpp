// Colours are hashes of 64 bits; should two differing nodes share one, they get
// one label, which costs more but is a labelling all the same.
#include "GraphQuotient.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <tuple>

using namespace partita;

namespace {

using Colours = std::vector<uint64_t>;

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014).
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The colours of what is up to `depth` edges away. Neighbours add up, so that
/// their order does not matter.
Colours refine(const PlacementGraph &graph, unsigned depth) {
  Colours colours, ofEdges;
  for (const PlacementNode &node : graph.nodes)
    colours.push_back(hashCosts(node.costs));
  for (const PlacementEdge &edge : graph.edges)
    ofEdges.push_back(
        mix(edge.matrix ^ mix(llvm::bit_cast<uint64_t>(edge.weight))));
  Colours next(colours.size());
  for (unsigned round = 0; round < depth; ++round) {
    for (auto [from, to] : llvm::zip_equal(colours, next))
      to = mix(from);
    for (auto [edge, colour] : llvm::zip_equal(graph.edges, ofEdges)) {
      next[edge.a] += mix(colour ^ colours[edge.b]);
      next[edge.b] += mix(~colour ^ colours[edge.a]);
    }
    colours.swap(next);
  }
  return colours;
}

/// Numbers the colours in the order in which they come. Nodes of one number
/// have equally many labels.
void numberNodes(const PlacementGraph &graph, const Colours &colours,
                 GraphQuotient &quotient) {
  llvm::DenseMap<std::pair<uint64_t, size_t>, unsigned> numbers;
  for (unsigned node = 0; node < colours.size(); ++node) {
    unsigned next = quotient.representatives.size();
    auto [it, isNew] =
        numbers.try_emplace({colours[node], graph.getNumLabels(node)}, next);
    if (isNew)
      quotient.representatives.push_back(node);
    quotient.indices.push_back(it->second);
  }
}

void addNodes(const PlacementGraph &graph, GraphQuotient &quotient) {
  for (unsigned node : quotient.representatives)
    quotient.graph.addNode(std::vector<double>(graph.getNumLabels(node), 0),
                           graph.nodes[node].position);
  for (auto [node, index] : llvm::zip_equal(graph.nodes, quotient.indices))
    for (auto [total, cost] :
         llvm::zip_equal(quotient.graph.nodes[index].costs, node.costs))
      total += cost;
}

void addEdges(const PlacementGraph &graph, GraphQuotient &quotient) {
  quotient.graph.matrices = graph.matrices;
  llvm::DenseMap<std::tuple<unsigned, unsigned, unsigned>, unsigned> known;
  for (const PlacementEdge &edge : graph.edges) {
    unsigned a = quotient.indices[edge.a], b = quotient.indices[edge.b];
    unsigned next = quotient.graph.edges.size();
    auto [it, isNew] = known.try_emplace({a, b, edge.matrix}, next);
    if (isNew)
      quotient.graph.connect(a, b, edge.matrix, 0);
    quotient.graph.edges[it->second].weight += edge.weight;
  }
}

} // namespace

std::optional<GraphQuotient>
partita::mergeEqualNodes(const PlacementGraph &graph, unsigned depth) {
  GraphQuotient quotient;
  numberNodes(graph, refine(graph, depth), quotient);
  if (quotient.representatives.size() * 2 > graph.nodes.size())
    return std::nullopt;
  addNodes(graph, quotient);
  addEdges(graph, quotient);
  return quotient;
}
