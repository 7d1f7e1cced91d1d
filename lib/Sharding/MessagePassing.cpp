// Sequential tree-reweighted message passing (TRW-S; Kolmogorov, "Convergent
// Tree-Reweighted Message Passing for Energy Minimization", 2006), with
// messages of the forward sweeps carried on in the direction in which they
// changed. After some sweeps, labels are rounded from the messages, then
// improved by local search.
#include "MessagePassing.h"
#include "CoreGraph.h"
#include "CutSearch.h"
#include "LabelSearch.h"
#include "LeastSums.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace partita;

/// How far a message goes beyond its new value, as a share of the way to there:
/// halves the sweeps. From .6 on, some bounds fall. Any messages of the forward
/// sweep make a true bound, since the backward sweep counts what they leave.
constexpr double kStride = 0.4;
/// Ends where a sweep closes no larger share of the gap.
constexpr double kLeastProgress = 0.01;
/// By this share of the tolerance, a gap that is left after one sweep more is
/// good enough: most of those that stay open are the bound's.
constexpr double kPatience = 0.06;
/// Rounds of what follows where a gap is left.
constexpr unsigned kMaxCutRounds = 10;

namespace {

class Messages {
public:
  explicit Messages(const CoreGraph &graph);

  double sweep(bool isForward, double stride);
  std::vector<unsigned> round() const;

private:
  const CoreGraph &graph;
  std::vector<double> messages;
  std::vector<double> beliefs, shares, fresh;
};

} // namespace

Messages::Messages(const CoreGraph &graph) : graph(graph) {
  messages.reserve(graph.messageSize);
  size_t most = 0;
  for (size_t node = 0; node < graph.size(); ++node) {
    size_t count = graph.unary[node].size(), width = getPaddedWidth(count);
    most = std::max(most, width);
    for (size_t side = 0; side < graph.getSides(node).size(); ++side) {
      messages.insert(messages.end(), count, 0);
      messages.insert(messages.end(), width - count, kPaddingCost);
    }
  }
  beliefs.resize(most);
  shares.resize(most);
  fresh.resize(most);
}

/// Unary costs of `node` with all messages to it added.
__attribute__((always_inline)) static inline void
collectBeliefs(const CoreGraph &graph, const double *messages, unsigned node,
               double *__restrict beliefs) {
  const double *unary = graph.unary[node].data();
  unsigned width = getPaddedWidth(graph.unary[node].size());
  for (unsigned i = 0; i < width; i += kLanes)
    for (unsigned j = i; j < i + kLanes; ++j)
      beliefs[j] = unary[j];
  for (const CoreGraph::Side &side : graph.getSides(node)) {
    const double *message = messages + side.in;
    for (unsigned i = 0; i < width; i += kLanes)
      for (unsigned j = i; j < i + kLanes; ++j)
        beliefs[j] += message[j];
  }
}

__attribute__((always_inline)) static inline double
getLeast(const double *costs, unsigned width) {
  double found[kLanes];
  std::copy(costs, costs + kLanes, found);
  for (unsigned i = kLanes; i < width; i += kLanes)
    for (unsigned j = 0; j < kLanes; ++j)
      found[j] = costs[i + j] < found[j] ? costs[i + j] : found[j];
  return std::min(std::min(found[0], found[1]), std::min(found[2], found[3]));
}

/// What `node` tells those after it, or those before it: for each label of the
/// other one, the least cost of a share of the beliefs and of the pair. Returns
/// what is taken out.
PARTITA_VECTORISED static double
sendMessages(const CoreGraph &graph, unsigned node, bool isForward,
             double stride, double *messages, double *__restrict beliefs,
             double *__restrict shares, double *__restrict fresh) {
  unsigned count = graph.unary[node].size(), width = getPaddedWidth(count);
  llvm::ArrayRef<CoreGraph::Side> sides = graph.getSides(node);
  collectBeliefs(graph, messages, node, beliefs);
  double bound = getLeast(beliefs, width);
  unsigned earlier = 0;
  while (earlier < sides.size() && sides[earlier].other < node)
    ++earlier;
  // Shared among the chains that pass through the node.
  double share = 1.0 / std::max<size_t>(earlier, sides.size() - earlier);
  for (unsigned i = 0; i < width; i += kLanes)
    for (unsigned j = i; j < i + kLanes; ++j)
      beliefs[j] = share * (beliefs[j] - bound);
  for (const CoreGraph::Side &side :
       isForward ? sides.drop_front(earlier) : sides.take_front(earlier)) {
    const double *answer = messages + side.in;
    for (unsigned i = 0; i < width; i += kLanes)
      for (unsigned j = i; j < i + kLanes; ++j)
        shares[j] = beliefs[j] - answer[j];
    takeLeast(side.table, shares, count, fresh, side.width);
    double least = getLeast(fresh, side.width);
    bound += least;
    double *__restrict message = messages + side.out;
    for (unsigned i = 0; i < side.width; i += kLanes)
      for (unsigned j = i; j < i + kLanes; ++j) {
        double next = fresh[j] - least;
        message[j] = next + stride * (next - message[j]);
      }
  }
  return bound;
}

/// Each node in order tells those after it, or backwards those before it. What
/// all labellings cost at least is the sum of what is taken out backwards.
double Messages::sweep(bool isForward, double stride) {
  double bound = 0;
  for (size_t at = 0, count = graph.size(); at < count; ++at)
    bound += sendMessages(graph, isForward ? at : count - 1 - at, isForward,
                          stride, messages.data(), beliefs.data(),
                          shares.data(), fresh.data());
  return bound;
}

/// Decides nodes in order: each by the true costs of pairs with decided ones
/// and the messages of the others.
std::vector<unsigned> Messages::round() const {
  std::vector<unsigned> labels(graph.size(), 0);
  std::vector<double> costs(beliefs.size());
  for (unsigned node = 0; node < graph.size(); ++node) {
    size_t count = graph.unary[node].size();
    collectBeliefs(graph, messages.data(), node, costs.data());
    for (const CoreGraph::Side &side : graph.getSides(node)) {
      if (side.other > node)
        continue;
      const double *row = graph.getRow(side, labels[side.other]);
      for (size_t i = 0; i < count; ++i)
        costs[i] += row[i] - messages[side.in + i];
    }
    labels[node] = unsigned(
        std::min_element(costs.begin(), costs.begin() + count) - costs.begin());
  }
  return labels;
}

/// Each node and each pair by itself.
static double getFirstBound(const CoreGraph &graph) {
  double bound = 0;
  for (llvm::ArrayRef<double> costs : graph.unary)
    bound += *std::min_element(costs.begin(), costs.end());
  for (const CoreGraph::Pair &pair : graph.pairs)
    bound += pair.least;
  return bound;
}

CoreSolution partita::solveCore(const PairwiseModel &model,
                                llvm::ArrayRef<unsigned> labels,
                                unsigned maxSweeps, double tolerance) {
  CoreGraph graph(model);
  LabelSearch search(graph);
  std::vector<unsigned> best;
  double cost = infiniteCost, bound = getFirstBound(graph);
  auto offer = [&](std::vector<unsigned> next) {
    search.improve(next);
    if (double nextCost = graph.getCost(next); nextCost < cost) {
      best = std::move(next);
      cost = nextCost;
    }
  };
  std::vector<unsigned> start;
  for (unsigned id : graph.ids)
    start.push_back(labels[id]);
  offer(std::move(start));
  Messages messages(graph);
  double stride = kStride;
  unsigned number = 1, nextOffer = 1;
  auto isClosed = [&] {
    double enough = tolerance * (1 + kPatience * number);
    return cost - bound <= enough * std::abs(cost);
  };
  for (; number <= maxSweeps; ++number) {
    messages.sweep(/*isForward=*/true, stride);
    double next = messages.sweep(/*isForward=*/false, /*stride=*/0);
    double gain = next - bound;
    // Gone too far. Later than in the third sweep it is slow, and the last.
    if (gain < 0 && number > 1)
      stride = 0;
    bound = std::max(bound, next);
    bool isSlow = number > 3 && gain < kLeastProgress * (cost - bound);
    bool isLast = isClosed() || isSlow || number == maxSweeps;
    if (number >= nextOffer || isLast) {
      nextOffer = number + (number + 1) / 2;
      offer(messages.round());
    }
    if (isLast || isClosed())
      break;
  }
  if (!isClosed()) {
    std::vector<unsigned> next = best;
    CutSearch(model, graph.ids).improve(next, kMaxCutRounds);
    offer(std::move(next));
  }
  CoreSolution solution{std::vector<unsigned>(model.size(), 0), cost, bound};
  for (auto [id, label] : llvm::zip_equal(graph.ids, best))
    solution.labels[id] = label;
  return solution;
}
