// Exact solution of most of a graph, given the labels of the rest.
#include "CutSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace partita;

/// Larger tables leave fewer nodes to keep, but take longer.
constexpr size_t kMaxTable = 100;
/// Rounds without success before the end.
constexpr unsigned kMaxIdle = 2;
/// Nodes are kept one by one, in large graphs so many parts of the rest at a
/// time.
constexpr size_t kSteps = 100;

/// One round: the labels get no worse. Nodes of many neighbours are kept first,
/// less willingly those that were kept before.
void CutSearch::relabel(std::vector<unsigned> &labels) {
  PairwiseModel rest(model, ids);
  std::vector<unsigned> alive(ids.size());
  std::iota(alive.begin(), alive.end(), 0);
  while (true) {
    rest.eliminate(kMaxTable);
    llvm::erase_if(alive, [&](unsigned node) { return !rest.isAlive(node); });
    if (alive.empty())
      break;
    auto getScore = [&](unsigned node) {
      return double(rest.getNeighbours(node).size()) / (1 + timesKept[node]);
    };
    size_t count = 1 + alive.size() / kSteps;
    std::partial_sort(alive.begin(), alive.begin() + count, alive.end(),
                      [&](unsigned a, unsigned b) {
                        double scoreA = getScore(a), scoreB = getScore(b);
                        return scoreA != scoreB ? scoreA > scoreB : a < b;
                      });
    for (unsigned node : llvm::ArrayRef(alive).take_front(count)) {
      rest.fix(node, labels[node]);
      ++timesKept[node];
    }
  }
  rest.complete(labels);
}

void CutSearch::improve(std::vector<unsigned> &labels, unsigned maxRounds) {
  unsigned idle = 0;
  for (unsigned round = 0; round < maxRounds && idle < kMaxIdle; ++round) {
    std::vector<unsigned> before = labels;
    relabel(labels);
    idle = labels == before ? idle + 1 : 0;
  }
}
