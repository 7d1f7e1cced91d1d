// The part of a placement graph that elimination leaves: sequential
// tree-reweighted message passing (TRW-S; Kolmogorov, "Convergent
// Tree-Reweighted Message Passing for Energy Minimization", 2006), whose bound
// never falls. After some sweeps, labels are rounded from the messages, then
// improved by changing one node or one pair at a time.
#include "PairwiseModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace partita;

namespace {

struct Link {
  unsigned a, b; ///< a comes before b
  /// Row-major by label of a, and by label of b.
  const double *table, *transposed;
  unsigned widthA, widthB;
  double least; ///< of the table
  /// Where the messages to a and b begin in `messages`.
  size_t toA, toB;
};

class Messages {
public:
  explicit Messages(const PairwiseModel &model) : model(model) {}

  CoreSolution run(llvm::ArrayRef<std::vector<unsigned>> starts,
                   unsigned maxSweeps, double tolerance);

private:
  void build();
  void collectBeliefs(unsigned node, std::vector<double> &beliefs) const;
  double sendMessage(const Link &link, bool isToB, double share);
  double sweep(bool isForward);
  double getFirstBound() const;
  std::vector<unsigned> round() const;
  bool improveNode(std::vector<unsigned> &labels, unsigned node);
  bool improvePair(std::vector<unsigned> &labels, const Link &link);
  void improve(std::vector<unsigned> &labels);
  void offer(std::vector<unsigned> labels);
  /// Cost of each label of `node` with its neighbours fixed, `except` left out.
  void getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                const Link *except, std::vector<double> &costs) const;

  const PairwiseModel &model;
  /// In order.
  std::vector<unsigned> nodes;
  std::vector<Link> links;
  std::vector<llvm::SmallVector<unsigned, 4>> linksOf;
  std::vector<double> messages;
  std::vector<double> scratchA, scratchB;
  /// The last labels that no change of a node or a pair improves; none: empty.
  std::vector<unsigned> settled;
  CoreSolution best;
  bool hasBest = false;
};

void Messages::build() {
  size_t count = best.labels.size(), numMessages = 0;
  for (unsigned node = 0; node < count; ++node)
    if (model.isAlive(node))
      nodes.push_back(node);
  llvm::sort(nodes, [&](unsigned a, unsigned b) {
    return std::pair(model.getPosition(a), a) <
           std::pair(model.getPosition(b), b);
  });
  std::vector<unsigned> rank(count);
  for (auto [index, node] : llvm::enumerate(nodes))
    rank[node] = unsigned(index);
  linksOf.resize(count);
  for (unsigned node : nodes) {
    llvm::SmallVector<PairwiseModel::Neighbour> sides(
        model.getNeighbours(node));
    llvm::sort(sides,
               [](const auto &a, const auto &b) { return a.node < b.node; });
    for (auto [other, table, transposed] : sides) {
      if (rank[node] > rank[other])
        continue;
      linksOf[node].push_back(unsigned(links.size()));
      linksOf[other].push_back(unsigned(links.size()));
      unsigned widthA = model.getNumLabels(node),
               widthB = model.getNumLabels(other);
      double least = *std::min_element(table, table + size_t(widthA) * widthB);
      links.push_back({node, other, table, transposed, widthA, widthB, least,
                       numMessages, numMessages + widthA});
      numMessages += widthA + widthB;
    }
  }
  messages.assign(numMessages, 0);
}

/// Unary costs of `node` with all messages to it added.
void Messages::collectBeliefs(unsigned node,
                              std::vector<double> &beliefs) const {
  llvm::ArrayRef<double> unary = model.getUnary(node);
  beliefs.assign(unary.begin(), unary.end());
  for (unsigned index : linksOf[node]) {
    const Link &link = links[index];
    const double *message = &messages[link.a == node ? link.toA : link.toB];
    for (size_t i = 0; i < beliefs.size(); ++i)
      beliefs[i] += message[i];
  }
}

/// Subtracts the least of the costs from all and returns it.
static double takeOutLeast(double *costs, size_t count) {
  double least = *std::min_element(costs, costs + count);
  for (size_t i = 0; i < count; ++i)
    costs[i] -= least;
  return least;
}

/// What a node with the beliefs in `scratchA` tells another one: for each label
/// of that, the least cost of its share of the beliefs and of the pair. Returns
/// what that costs at least, which the message is without.
double Messages::sendMessage(const Link &link, bool isToB, double share) {
  unsigned from = isToB ? link.widthA : link.widthB,
           to = isToB ? link.widthB : link.widthA;
  double *message = &messages[isToB ? link.toB : link.toA];
  const double *answer = &messages[isToB ? link.toA : link.toB];
  scratchB.resize(from);
  for (unsigned i = 0; i < from; ++i)
    scratchB[i] = share * scratchA[i] - answer[i];
  takeLeast(isToB ? link.table : link.transposed, scratchB.data(), from,
            message, to);
  return takeOutLeast(message, to);
}

/// Each node in order tells those after it, or backwards those before it. A
/// node's beliefs are shared among the chains that pass through it. What all
/// labellings cost at least is the sum of what is taken out backwards.
double Messages::sweep(bool isForward) {
  double bound = 0;
  for (size_t at = 0; at < nodes.size(); ++at) {
    unsigned node = nodes[isForward ? at : nodes.size() - 1 - at];
    unsigned after = 0;
    for (unsigned index : linksOf[node])
      after += links[index].a == node;
    unsigned chains = std::max<unsigned>(after, linksOf[node].size() - after);
    collectBeliefs(node, scratchA);
    bound += takeOutLeast(scratchA.data(), scratchA.size());
    for (unsigned index : linksOf[node]) {
      bool isToB = links[index].a == node;
      if (isToB == isForward)
        bound += sendMessage(links[index], isToB, 1.0 / chains);
    }
  }
  return bound;
}

/// Each node and each pair by itself.
double Messages::getFirstBound() const {
  double bound = 0;
  for (unsigned node : nodes) {
    llvm::ArrayRef<double> unary = model.getUnary(node);
    bound += *std::min_element(unary.begin(), unary.end());
  }
  for (const Link &link : links)
    bound += link.least;
  return bound;
}

/// Decides nodes in order: each by the true costs of pairs with decided ones
/// and the messages of the others.
std::vector<unsigned> Messages::round() const {
  std::vector<unsigned> labels(best.labels.size(), 0);
  std::vector<double> costs;
  for (unsigned node : nodes) {
    collectBeliefs(node, costs);
    for (unsigned index : linksOf[node]) {
      const Link &link = links[index];
      if (link.b != node)
        continue;
      const double *row = link.table + labels[link.a] * size_t(link.widthB);
      for (size_t i = 0; i < costs.size(); ++i)
        costs[i] += row[i] - messages[link.toB + i];
    }
    labels[node] =
        unsigned(std::min_element(costs.begin(), costs.end()) - costs.begin());
  }
  return labels;
}

void Messages::getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                        const Link *except, std::vector<double> &costs) const {
  llvm::ArrayRef<double> unary = model.getUnary(node);
  costs.assign(unary.begin(), unary.end());
  for (unsigned index : linksOf[node]) {
    const Link &link = links[index];
    if (&link == except)
      continue;
    if (link.a == node) {
      const double *row =
          link.transposed + labels[link.b] * size_t(link.widthA);
      for (unsigned i = 0; i < link.widthA; ++i)
        costs[i] += row[i];
    } else {
      const double *row = link.table + labels[link.a] * size_t(link.widthB);
      for (unsigned i = 0; i < link.widthB; ++i)
        costs[i] += row[i];
    }
  }
}

/// True if `next` is lower by more than rounding.
bool isLower(double next, double current) {
  return next < current - 1e-12 * std::abs(current);
}

bool Messages::improveNode(std::vector<unsigned> &labels, unsigned node) {
  getLocal(labels, node, nullptr, scratchA);
  auto least = std::min_element(scratchA.begin(), scratchA.end());
  if (!isLower(*least, scratchA[labels[node]]))
    return false;
  labels[node] = unsigned(least - scratchA.begin());
  return true;
}

bool Messages::improvePair(std::vector<unsigned> &labels, const Link &link) {
  getLocal(labels, link.a, &link, scratchA);
  getLocal(labels, link.b, &link, scratchB);
  unsigned bestA = labels[link.a], bestB = labels[link.b];
  auto getCost = [&](unsigned i, unsigned j) {
    return scratchA[i] + scratchB[j] + link.table[i * size_t(link.widthB) + j];
  };
  double current = getCost(bestA, bestB);
  bool improved = false;
  double leastRest =
      *std::min_element(scratchB.begin(), scratchB.end()) + link.least;
  for (unsigned i = 0; i < link.widthA; ++i) {
    if (!isLower(scratchA[i] + leastRest, current))
      continue;
    for (unsigned j = 0; j < link.widthB; ++j)
      if (isLower(getCost(i, j), current)) {
        current = getCost(i, j);
        bestA = i;
        bestB = j;
        improved = true;
      }
  }
  labels[link.a] = bestA;
  labels[link.b] = bestB;
  return improved;
}

/// Single nodes until none improves, then each pair near a change once; again
/// while pairs improve. Only what lies beside a change is looked at again, also
/// of what the last labels that were improved differ in: elsewhere those can't
/// be improved.
void Messages::improve(std::vector<unsigned> &labels) {
  bool isFirst = settled.empty();
  std::vector<bool> isQueued(labels.size(), isFirst),
      isPairDue(links.size(), isFirst);
  auto getOther = [&](unsigned index, unsigned node) {
    return links[index].a == node ? links[index].b : links[index].a;
  };
  for (unsigned node : nodes) {
    if (isFirst || labels[node] == settled[node])
      continue;
    isQueued[node] = true;
    // All pairs of which one side is beside the change.
    for (unsigned index : linksOf[node]) {
      unsigned other = getOther(index, node);
      isQueued[other] = true;
      for (unsigned beside : linksOf[other])
        isPairDue[beside] = true;
    }
  }
  std::vector<unsigned> queue;
  for (unsigned node : llvm::reverse(nodes))
    if (isQueued[node])
      queue.push_back(node);
  auto touch = [&](unsigned node) {
    for (unsigned index : linksOf[node]) {
      isPairDue[index] = true;
      unsigned other = getOther(index, node);
      if (!isQueued[other])
        queue.push_back(other);
      isQueued[other] = true;
    }
  };
  constexpr int kMaxRounds = 20;
  bool isSettled = false;
  for (int round = 0; round < kMaxRounds && !isSettled; ++round) {
    while (!queue.empty()) {
      unsigned node = queue.back();
      queue.pop_back();
      isQueued[node] = false;
      if (improveNode(labels, node))
        touch(node);
    }
    for (size_t index = 0; index < links.size(); ++index) {
      if (!isPairDue[index])
        continue;
      isPairDue[index] = false;
      if (improvePair(labels, links[index])) {
        touch(links[index].a);
        touch(links[index].b);
      }
    }
    isSettled = queue.empty();
  }
  settled = isSettled ? labels : std::vector<unsigned>();
}

void Messages::offer(std::vector<unsigned> labels) {
  improve(labels);
  double cost = model.getCost(labels);
  if (hasBest && cost >= best.cost)
    return;
  best.labels = std::move(labels);
  best.cost = cost;
  hasBest = true;
}

CoreSolution Messages::run(llvm::ArrayRef<std::vector<unsigned>> starts,
                           unsigned maxSweeps, double tolerance) {
  best.labels = starts.front();
  build();
  best.lowerBound = getFirstBound();
  for (const std::vector<unsigned> &start : starts)
    offer(start);
  unsigned nextOffer = 1;
  for (unsigned number = 1; number <= maxSweeps; ++number) {
    sweep(/*isForward=*/true);
    double bound = sweep(/*isForward=*/false);
    if (number < nextOffer && number < maxSweeps)
      continue;
    nextOffer = number + (number + 1) / 2;
    double gain = bound - best.lowerBound;
    best.lowerBound = std::max(best.lowerBound, bound);
    offer(round());
    double gap = best.cost - best.lowerBound;
    if (gap <= tolerance * std::abs(best.cost) ||
        (number > 1 && gain < 1e-3 * gap / maxSweeps))
      break;
  }
  return best;
}

} // namespace

CoreSolution partita::solveCore(const PairwiseModel &model,
                                llvm::ArrayRef<std::vector<unsigned>> starts,
                                unsigned maxSweeps, double tolerance) {
  return Messages(model).run(starts, maxSweeps, tolerance);
}
