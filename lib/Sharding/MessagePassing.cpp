// The part of a placement graph that elimination leaves: dual block-coordinate
// ascent over the edges (each step shares a pair's least costs evenly between
// its ends, so the bound never falls), labels rounded greedily after each sweep,
// then improved by changing one node or one pair at a time.
#include "PairwiseModel.h"
#include <algorithm>
#include <cmath>

using namespace partita;

namespace {

struct Link {
  unsigned a, b; ///< a < b
  const PairwiseModel::Table *table;
  std::vector<double> toA, toB;
};

class Ascent {
public:
  explicit Ascent(const PairwiseModel &model) : model(model) {}

  CoreSolution run(llvm::ArrayRef<std::vector<unsigned>> starts,
                   unsigned maxSweeps);

private:
  void build();
  void updateLink(Link &link);
  double getBound() const;
  std::vector<unsigned> round() const;
  bool improveNode(std::vector<unsigned> &labels, unsigned node) const;
  bool improvePair(std::vector<unsigned> &labels, const Link &link) const;
  void improve(std::vector<unsigned> &labels) const;
  void offer(std::vector<unsigned> labels);
  /// Cost of each label of `node` with its neighbours fixed, `except` left out.
  std::vector<double> getLocal(llvm::ArrayRef<unsigned> labels, unsigned node,
                               int except) const;

  const PairwiseModel &model;
  std::vector<unsigned> nodes;
  std::vector<Link> links;
  std::vector<std::vector<unsigned>> linksOf;
  /// Unary costs with all messages added.
  std::vector<std::vector<double>> beliefs;
  CoreSolution best;
  bool hasBest = false;
};

void Ascent::build() {
  size_t count = best.labels.size();
  beliefs.resize(count);
  linksOf.resize(count);
  for (unsigned node = 0; node < count; ++node) {
    if (!model.isAlive(node))
      continue;
    nodes.push_back(node);
    beliefs[node] = model.getUnary(node);
    for (const auto &[other, table] : model.getNeighbours(node))
      if (node < other) {
        linksOf[node].push_back(unsigned(links.size()));
        linksOf[other].push_back(unsigned(links.size()));
        links.push_back({node, other, &table,
                         std::vector<double>(model.getNumLabels(node)),
                         std::vector<double>(model.getNumLabels(other))});
      }
  }
}

void Ascent::updateLink(Link &link) {
  auto &a = beliefs[link.a], &b = beliefs[link.b];
  std::vector<double> leastA(a.size(), infiniteCost),
      leastB(b.size(), infiniteCost);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] -= link.toA[i];
  for (size_t j = 0; j < b.size(); ++j)
    b[j] -= link.toB[j];
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) {
      double cost = a[i] + b[j] + (*link.table)[i * b.size() + j];
      leastA[i] = std::min(leastA[i], cost);
      leastB[j] = std::min(leastB[j], cost);
    }
  for (size_t i = 0; i < a.size(); ++i) {
    link.toA[i] = leastA[i] / 2 - a[i];
    a[i] = leastA[i] / 2;
  }
  for (size_t j = 0; j < b.size(); ++j) {
    link.toB[j] = leastB[j] / 2 - b[j];
    b[j] = leastB[j] / 2;
  }
}

double Ascent::getBound() const {
  double bound = 0;
  for (unsigned node : nodes)
    bound += *std::min_element(beliefs[node].begin(), beliefs[node].end());
  for (const Link &link : links) {
    double least = infiniteCost;
    for (size_t i = 0; i < link.toA.size(); ++i)
      for (size_t j = 0; j < link.toB.size(); ++j)
        least = std::min(least, (*link.table)[i * link.toB.size() + j] -
                                    link.toA[i] - link.toB[j]);
    bound += least;
  }
  return bound;
}

/// Decides nodes in order, each by its belief, where the messages of decided
/// neighbours are replaced by the true costs.
std::vector<unsigned> Ascent::round() const {
  std::vector<unsigned> labels(best.labels.size(), 0);
  std::vector<bool> decided(labels.size());
  for (unsigned node : nodes) {
    std::vector<double> costs = beliefs[node];
    for (unsigned index : linksOf[node]) {
      const Link &link = links[index];
      bool isA = link.a == node;
      unsigned other = isA ? link.b : link.a;
      if (!decided[other])
        continue;
      size_t width = link.toB.size();
      for (size_t i = 0; i < costs.size(); ++i)
        costs[i] += isA ? (*link.table)[i * width + labels[other]] - link.toA[i]
                        : (*link.table)[labels[other] * width + i] -
                              link.toB[i];
    }
    labels[node] = unsigned(std::min_element(costs.begin(), costs.end()) -
                            costs.begin());
    decided[node] = true;
  }
  return labels;
}

std::vector<double> Ascent::getLocal(llvm::ArrayRef<unsigned> labels,
                                     unsigned node, int except) const {
  std::vector<double> costs = model.getUnary(node);
  for (const auto &[other, table] : model.getNeighbours(node)) {
    if (int(other) == except)
      continue;
    size_t width = model.getNumLabels(other);
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += table[i * width + labels[other]];
  }
  return costs;
}

/// True if `next` is lower by more than rounding.
bool isLower(double next, double current) {
  return next < current - 1e-12 * std::abs(current);
}

bool Ascent::improveNode(std::vector<unsigned> &labels, unsigned node) const {
  std::vector<double> costs = getLocal(labels, node, -1);
  auto least = std::min_element(costs.begin(), costs.end());
  if (!isLower(*least, costs[labels[node]]))
    return false;
  labels[node] = unsigned(least - costs.begin());
  return true;
}

bool Ascent::improvePair(std::vector<unsigned> &labels,
                         const Link &link) const {
  std::vector<double> a = getLocal(labels, link.a, int(link.b));
  std::vector<double> b = getLocal(labels, link.b, int(link.a));
  size_t bestA = labels[link.a], bestB = labels[link.b];
  auto getCost = [&](size_t i, size_t j) {
    return a[i] + b[j] + (*link.table)[i * b.size() + j];
  };
  double current = getCost(bestA, bestB);
  bool improved = false;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      if (isLower(getCost(i, j), current)) {
        current = getCost(i, j);
        bestA = i;
        bestB = j;
        improved = true;
      }
  labels[link.a] = unsigned(bestA);
  labels[link.b] = unsigned(bestB);
  return improved;
}

void Ascent::improve(std::vector<unsigned> &labels) const {
  bool changed = true;
  for (unsigned sweep = 0; changed && sweep < 100; ++sweep) {
    changed = false;
    for (unsigned node : nodes)
      changed |= improveNode(labels, node);
    if (changed)
      continue;
    for (const Link &link : links)
      changed |= improvePair(labels, link);
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
                         unsigned maxSweeps) {
  best.labels = starts.front();
  build();
  for (const std::vector<unsigned> &start : starts)
    offer(start);
  best.lowerBound = getBound();
  for (unsigned sweep = 0; sweep < maxSweeps; ++sweep) {
    for (Link &link : links)
      updateLink(link);
    for (size_t i = links.size(); i-- > 0;)
      updateLink(links[i]);
    double bound = getBound();
    double gain = bound - best.lowerBound;
    best.lowerBound = std::max(best.lowerBound, bound);
    offer(round());
    double gap = best.cost - best.lowerBound;
    if (gap <= 1e-9 * std::abs(best.cost) || gain < 1e-3 * gap / maxSweeps)
      break;
  }
  return best;
}

} // namespace

CoreSolution partita::solveCore(const PairwiseModel &model,
                                llvm::ArrayRef<std::vector<unsigned>> starts,
                                unsigned maxSweeps) {
  return Ascent(model).run(starts, maxSweeps);
}
