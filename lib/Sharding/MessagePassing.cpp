// The part of a placement graph that elimination leaves: dual block-coordinate
// ascent over the edges (each step shares a pair's least costs evenly between
// its ends, so the bound never falls), labels rounded greedily after some
// sweeps, then improved by changing one node or one pair at a time.
#include "PairwiseModel.h"
#include <algorithm>
#include <cmath>

using namespace partita;

namespace {

struct Link {
  unsigned a, b; ///< a < b
  /// Row-major by label of a, and by label of b.
  const double *table, *transposed;
  unsigned widthA, widthB;
  /// Where the messages to a and b begin in `messages`.
  size_t toA, toB;
};

class Ascent {
public:
  explicit Ascent(const PairwiseModel &model) : model(model) {}

  CoreSolution run(llvm::ArrayRef<std::vector<unsigned>> starts,
                   unsigned maxSweeps, double tolerance);

private:
  void build();
  void updateLink(const Link &link);
  double getBound() const;
  std::vector<unsigned> round() const;
  bool improveNode(std::vector<unsigned> &labels, unsigned node);
  bool improvePair(std::vector<unsigned> &labels, const Link &link);
  void improve(std::vector<unsigned> &labels);
  void offer(std::vector<unsigned> labels);
  /// Cost of each label of `node` with its neighbours fixed, `except` left out.
  void getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                const Link *except, std::vector<double> &costs) const;

  const PairwiseModel &model;
  std::vector<unsigned> nodes;
  std::vector<Link> links;
  std::vector<llvm::SmallVector<unsigned, 4>> linksOf;
  /// Unary costs with all messages added, and where each node's begin.
  std::vector<double> beliefs, messages;
  std::vector<size_t> beliefOf;
  std::vector<double> scratchA, scratchB;
  CoreSolution best;
  bool hasBest = false;
};

void Ascent::build() {
  size_t count = best.labels.size(), numMessages = 0;
  beliefOf.resize(count);
  linksOf.resize(count);
  for (unsigned node = 0; node < count; ++node) {
    if (!model.isAlive(node))
      continue;
    nodes.push_back(node);
    beliefOf[node] = beliefs.size();
    const std::vector<double> &unary = model.getUnary(node);
    beliefs.insert(beliefs.end(), unary.begin(), unary.end());
    for (const auto &[other, table] : model.getNeighbours(node)) {
      if (node > other)
        continue;
      linksOf[node].push_back(unsigned(links.size()));
      linksOf[other].push_back(unsigned(links.size()));
      unsigned widthA = model.getNumLabels(node),
               widthB = model.getNumLabels(other);
      const double *transposed = model.getNeighbours(other).at(node).data();
      links.push_back({node, other, table.data(), transposed, widthA, widthB,
                       numMessages, numMessages + widthA});
      numMessages += widthA + widthB;
    }
  }
  messages.assign(numMessages, 0);
}

/// least[j] = min over i of costs[i] + table[i][j], in loops that vectorise.
static void takeLeast(const double *table, const double *costs, unsigned rows,
                      std::vector<double> &least, unsigned columns) {
  least.assign(columns, infiniteCost);
  double *out = least.data();
  for (unsigned i = 0; i < rows; ++i, table += columns) {
    double cost = costs[i];
    for (unsigned j = 0; j < columns; ++j) {
      double sum = cost + table[j];
      out[j] = sum < out[j] ? sum : out[j];
    }
  }
}

void Ascent::updateLink(const Link &link) {
  double *a = &beliefs[beliefOf[link.a]], *b = &beliefs[beliefOf[link.b]];
  double *toA = &messages[link.toA], *toB = &messages[link.toB];
  for (unsigned i = 0; i < link.widthA; ++i)
    a[i] -= toA[i];
  for (unsigned j = 0; j < link.widthB; ++j)
    b[j] -= toB[j];
  takeLeast(link.table, a, link.widthA, scratchB, link.widthB);
  takeLeast(link.transposed, b, link.widthB, scratchA, link.widthA);
  for (unsigned i = 0; i < link.widthA; ++i) {
    double half = (scratchA[i] + a[i]) / 2;
    toA[i] = half - a[i];
    a[i] = half;
  }
  for (unsigned j = 0; j < link.widthB; ++j) {
    double half = (scratchB[j] + b[j]) / 2;
    toB[j] = half - b[j];
    b[j] = half;
  }
}

double Ascent::getBound() const {
  double bound = 0;
  for (unsigned node : nodes) {
    auto begin = beliefs.begin() + beliefOf[node];
    bound += *std::min_element(begin, begin + model.getNumLabels(node));
  }
  for (const Link &link : links) {
    double least = infiniteCost;
    const double *row = link.table;
    const double *toB = &messages[link.toB];
    for (unsigned i = 0; i < link.widthA; ++i, row += link.widthB) {
      double rowLeast = infiniteCost;
      for (unsigned j = 0; j < link.widthB; ++j)
        rowLeast = std::min(rowLeast, row[j] - toB[j]);
      least = std::min(least, rowLeast - messages[link.toA + i]);
    }
    bound += least;
  }
  return bound;
}

/// Decides nodes in order, each by its belief, where the messages of decided
/// neighbours are replaced by the true costs.
std::vector<unsigned> Ascent::round() const {
  std::vector<unsigned> labels(best.labels.size(), 0);
  std::vector<bool> decided(labels.size());
  std::vector<double> costs;
  for (unsigned node : nodes) {
    auto begin = beliefs.begin() + beliefOf[node];
    costs.assign(begin, begin + model.getNumLabels(node));
    for (unsigned index : linksOf[node]) {
      const Link &link = links[index];
      bool isA = link.a == node;
      unsigned other = isA ? link.b : link.a;
      if (!decided[other])
        continue;
      for (size_t i = 0; i < costs.size(); ++i)
        costs[i] += isA ? link.table[i * link.widthB + labels[other]] -
                              messages[link.toA + i]
                        : link.table[labels[other] * size_t(link.widthB) + i] -
                              messages[link.toB + i];
    }
    labels[node] =
        unsigned(std::min_element(costs.begin(), costs.end()) - costs.begin());
    decided[node] = true;
  }
  return labels;
}

void Ascent::getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                      const Link *except, std::vector<double> &costs) const {
  const std::vector<double> &unary = model.getUnary(node);
  costs.assign(unary.begin(), unary.end());
  for (unsigned index : linksOf[node]) {
    const Link &link = links[index];
    if (&link == except)
      continue;
    if (link.a == node) {
      const double *column = link.table + labels[link.b];
      for (unsigned i = 0; i < link.widthA; ++i)
        costs[i] += column[i * size_t(link.widthB)];
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

bool Ascent::improveNode(std::vector<unsigned> &labels, unsigned node) {
  getLocal(labels, node, nullptr, scratchA);
  auto least = std::min_element(scratchA.begin(), scratchA.end());
  if (!isLower(*least, scratchA[labels[node]]))
    return false;
  labels[node] = unsigned(least - scratchA.begin());
  return true;
}

bool Ascent::improvePair(std::vector<unsigned> &labels, const Link &link) {
  getLocal(labels, link.a, &link, scratchA);
  getLocal(labels, link.b, &link, scratchB);
  unsigned bestA = labels[link.a], bestB = labels[link.b];
  auto getCost = [&](unsigned i, unsigned j) {
    return scratchA[i] + scratchB[j] + link.table[i * size_t(link.widthB) + j];
  };
  double current = getCost(bestA, bestB);
  bool improved = false;
  for (unsigned i = 0; i < link.widthA; ++i)
    for (unsigned j = 0; j < link.widthB; ++j)
      if (isLower(getCost(i, j), current)) {
        current = getCost(i, j);
        bestA = i;
        bestB = j;
        improved = true;
      }
  labels[link.a] = bestA;
  labels[link.b] = bestB;
  return improved;
}

/// Single nodes until none improves, then each pair near a change once; again
/// while pairs improve. Only what lies beside a change is looked at again.
void Ascent::improve(std::vector<unsigned> &labels) {
  std::vector<unsigned> queue(nodes.rbegin(), nodes.rend());
  std::vector<bool> isQueued(labels.size(), true),
      isPairDue(links.size(), true);
  auto touch = [&](unsigned node) {
    for (unsigned index : linksOf[node]) {
      isPairDue[index] = true;
      unsigned other = links[index].a == node ? links[index].b : links[index].a;
      if (!isQueued[other]) {
        isQueued[other] = true;
        queue.push_back(other);
      }
    }
  };
  constexpr int kMaxRounds = 20;
  for (int round = 0; round < kMaxRounds; ++round) {
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
    if (queue.empty())
      break;
  }
}

void Ascent::offer(std::vector<unsigned> labels) {
  improve(labels);
  double cost = model.getCost(labels);
  if (hasBest && cost >= best.cost)
    return;
  best.labels = std::move(labels);
  best.cost = cost;
  hasBest = true;
}

CoreSolution Ascent::run(llvm::ArrayRef<std::vector<unsigned>> starts,
                         unsigned maxSweeps, double tolerance) {
  best.labels = starts.front();
  build();
  for (const std::vector<unsigned> &start : starts)
    offer(start);
  best.lowerBound = getBound();
  unsigned nextOffer = 1;
  for (unsigned sweep = 1; sweep <= maxSweeps; ++sweep) {
    for (const Link &link : links)
      updateLink(link);
    for (size_t i = links.size(); i-- > 0;)
      updateLink(links[i]);
    if (sweep < nextOffer && sweep < maxSweeps)
      continue;
    nextOffer = sweep + (sweep + 1) / 2;
    double bound = getBound();
    double gain = bound - best.lowerBound;
    best.lowerBound = std::max(best.lowerBound, bound);
    offer(round());
    double gap = best.cost - best.lowerBound;
    if (gap <= tolerance * std::abs(best.cost) || gain < 1e-3 * gap / maxSweeps)
      break;
  }
  return best;
}

} // namespace

CoreSolution partita::solveCore(const PairwiseModel &model,
                                llvm::ArrayRef<std::vector<unsigned>> starts,
                                unsigned maxSweeps, double tolerance) {
  return Ascent(model).run(starts, maxSweeps, tolerance);
}
