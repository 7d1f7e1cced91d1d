// A* over layouts. Estimates never exceed the true rest of the cost; nodes are
// reopened, so they need not be consistent. Costs are compared by the
// objective's number, then by the other one, then by the peak.
#include "ReshardSearch.h"
#include <algorithm>

using namespace partita;

struct ReshardSearch::Node {
  double heuristic = -1; ///< bytes; negative: not computed yet
  CollectiveCost cost;
  double peak = 0;
  int parent = -1;
  bool reached = false;
  bool open = false;
};

ReshardSearch::ReshardSearch(const ReshardProblem &problem)
    : problem(problem), devices(problem.atoms, getSearchAtoms(problem)),
      bounds(devices, problem.shape),
      finder(problem.atoms, problem.model, problem.shape,
             problem.elementBits) {
  const Machine &machine = problem.model.getMachine();
  bool first = true;
  for (const MeshAxis &axis : problem.atoms.getMesh().axes) {
    double bandwidth =
        axis.bandwidth > 0 ? axis.bandwidth : machine.linkBandwidth;
    double latency = axis.latency > 0 ? axis.latency : machine.linkLatency;
    fastestBandwidth = std::max(fastestBandwidth, bandwidth);
    smallestLatency = first ? latency : std::min(smallestLatency, latency);
    first = false;
  }
  if (first)
    fastestBandwidth = machine.linkBandwidth;
  bounds.getHeld(problem.to, heldTo);
  bound = getHeuristic(problem.from);
  double scale = problem.elementBits / 8.0;
  for (int64_t n : problem.shape)
    scale *= double(std::max<int64_t>(n, 1));
  epsilon = 1e-9 * toPrimary(scale);
}

double ReshardSearch::getHeuristic(const Layout &layout) {
  bounds.getHeld(layout, scratch);
  return bounds.get(layout, scratch, problem.to, heldTo) *
         problem.elementBits / 8.0;
}

/// What is to be minimised, at least, for so many bytes.
double ReshardSearch::toPrimary(double bytes) const {
  if (problem.model.getObjective() == Objective::Bytes || bytes <= 0)
    return std::max(bytes, 0.0);
  return problem.model.getMachine().launchOverhead + smallestLatency +
         bytes / fastestBandwidth;
}

bool ReshardSearch::isBetter(const CollectiveCost &a, double peakA,
                             const CollectiveCost &b, double peakB) const {
  const CostModel &model = problem.model;
  double difference = model.getPrimary(a) - model.getPrimary(b);
  if (std::abs(difference) > epsilon)
    return difference < 0;
  difference = model.getSecondary(a) - model.getSecondary(b);
  if (std::abs(difference) > 1e-9 * model.getSecondary(b))
    return difference < 0;
  return peakA < peakB;
}

bool ReshardSearch::isTight() const {
  return hasPath() &&
         problem.model.getPrimary(cost) <= toPrimary(bound) + epsilon;
}

std::optional<StepPrice> ReshardSearch::getPrice(const Layout &before,
                                                 const Layout &after,
                                                 ReshardStep *step) const {
  auto direct = finder.find(before, after);
  auto exchange = finder.findExchange(before, after);
  bool useExchange =
      exchange && (!direct || isBetter(exchange->cost, exchange->peakBytes,
                                       direct->cost, direct->peakBytes));
  if (step && useExchange)
    finder.findExchange(before, after, step);
  else if (step && direct)
    finder.find(before, after, step);
  return useExchange ? exchange : direct;
}

void ReshardSearch::push(std::vector<Node> &nodes, unsigned index) {
  const Node &node = nodes[index];
  const CostModel &model = problem.model;
  double rest = toPrimary(node.heuristic);
  heap.push_back({{model.getPrimary(node.cost) + rest,
                   model.getSecondary(node.cost)},
                  index});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void ReshardSearch::expand(const LayoutSet &set, std::vector<Node> &nodes,
                           unsigned index) {
  const CostModel &model = problem.model;
  const Layout &layout = set[index];
  bounds.getHeld(layout, heldExpanded);
  double limit = hasPath() ? model.getPrimary(cost) + epsilon
                           : std::numeric_limits<double>::infinity();
  for (unsigned next = 0; next < nodes.size(); ++next) {
    if (next == index)
      continue;
    Node &target = nodes[next];
    if (target.heuristic < 0)
      target.heuristic = getHeuristic(set[next]);
    double reached = model.getPrimary(nodes[index].cost);
    double rest = toPrimary(target.heuristic);
    if (reached + rest > limit)
      continue;
    auto offer = [&](const StepPrice &price) {
      if (problem.memoryLimit > 0 && price.peakBytes > problem.memoryLimit)
        return;
      CollectiveCost total = nodes[index].cost + price.cost;
      double peak = std::max(nodes[index].peak, price.peakBytes);
      if (model.getPrimary(total) + rest > limit ||
          (target.reached && !isBetter(total, peak, target.cost, target.peak)))
        return;
      target.cost = total;
      target.peak = peak;
      target.parent = int(index);
      target.reached = target.open = true;
      push(nodes, next);
    };
    if (auto price = finder.find(layout, set[next]))
      offer(*price);
    if (layout.unreduced || set[next].unreduced)
      continue;
    // An exchange is dear to price: first see whether it could pay.
    bounds.getHeld(set[next], scratch);
    double least = bounds.get(layout, heldExpanded, set[next], scratch) *
                   problem.elementBits / 8.0;
    double estimate = reached + toPrimary(least) + rest;
    if (estimate > limit ||
        (target.reached &&
         reached + toPrimary(least) > model.getPrimary(target.cost) + epsilon))
      continue;
    if (auto price = finder.findExchange(layout, set[next]))
      offer(*price);
  }
}

bool ReshardSearch::run(const LayoutSet &set) {
  std::vector<Node> nodes(set.size());
  int source = -1, target = -1;
  for (unsigned i = 0; i < set.size(); ++i) {
    if (set[i] == problem.from)
      source = int(i);
    if (set[i] == problem.to)
      target = int(i);
  }
  if (source < 0 || target < 0 || source == target)
    return false;
  heap.clear();
  nodes[source].heuristic = bound;
  nodes[source].reached = nodes[source].open = true;
  push(nodes, unsigned(source));
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    double estimate = heap.back().first.first;
    unsigned index = heap.back().second;
    heap.pop_back();
    if (!nodes[index].open)
      continue;
    if (hasPath() && estimate > problem.model.getPrimary(cost) + epsilon)
      break;
    nodes[index].open = false;
    if (int(index) == target)
      continue; // others of equal cost may still have a better second number
    if (nodes[target].reached &&
        estimate > problem.model.getPrimary(nodes[target].cost) + epsilon)
      break;
    expand(set, nodes, index);
  }
  if (!nodes[target].reached ||
      (hasPath() &&
       !isBetter(nodes[target].cost, nodes[target].peak, cost, pathPeak)))
    return false;
  cost = nodes[target].cost;
  pathPeak = nodes[target].peak;
  path.clear();
  for (int index = target; index >= 0; index = nodes[index].parent)
    path.push_back(set[index]);
  std::reverse(path.begin(), path.end());
  return true;
}

double ReshardSearch::getSmallestPeak(const LayoutSet &set) {
  std::vector<double> peaks(set.size(), infinitePeak);
  std::vector<bool> done(set.size());
  int target = -1;
  for (unsigned i = 0; i < set.size(); ++i) {
    if (set[i] == problem.from)
      peaks[i] = 0;
    if (set[i] == problem.to)
      target = int(i);
  }
  while (target >= 0) {
    int best = -1;
    for (unsigned i = 0; i < set.size(); ++i)
      if (!done[i] && (best < 0 || peaks[i] < peaks[best]))
        best = int(i);
    if (best < 0 || best == target || peaks[best] == infinitePeak)
      break;
    done[best] = true;
    for (unsigned i = 0; i < set.size(); ++i) {
      if (done[i])
        continue;
      if (auto price = getPrice(set[best], set[i]))
        peaks[i] = std::min(peaks[i], std::max(peaks[best], price->peakBytes));
    }
  }
  return target < 0 ? infinitePeak : peaks[target];
}
