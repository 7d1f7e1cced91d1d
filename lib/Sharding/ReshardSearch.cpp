// A* over layouts. Estimates never exceed the true rest of the cost; nodes are
// reopened, so they need not be consistent. Costs are compared by the
// objective's number, then by the other one, then by the peak.
#include "ReshardSearch.h"
#include <algorithm>
#include <cmath>

using namespace partita;

/// Devices whose boxes are compared for a bound.
static constexpr int64_t maxListed = 64;

struct ReshardSearch::Node {
  double heuristic = -1; ///< bytes; negative: not computed yet
  CollectiveCost cost;
  double peak = 0;
  int parent = -1;
  bool reached = false;
  bool open = false;
};

ReshardSearch::ReshardSearch(const ReshardProblem &problem)
    : problem(problem), devices(problem.atoms, getSearchAtoms(problem), maxListed),
      bounds(devices, problem.shape, problem.to),
      finder(problem.atoms, problem.model, problem.shape,
             problem.elementBits) {
  const Machine &machine = problem.model.getMachine();
  double mostBandwidth = machine.getMostLinkBandwidth();
  double leastLatency = machine.getLeastLinkLatency();
  smallestLaunch = machine.getLeastLaunchOverhead();
  bool first = true;
  for (const MeshAxis &axis : problem.atoms.getMesh().axes) {
    double bandwidth = axis.bandwidth > 0 ? axis.bandwidth : mostBandwidth;
    double latency = axis.latency > 0 ? axis.latency : leastLatency;
    fastestBandwidth = std::max(fastestBandwidth, bandwidth);
    smallestLatency = first ? latency : std::min(smallestLatency, latency);
    first = false;
  }
  if (first)
    fastestBandwidth = mostBandwidth;
  bound = getBytes(bounds.get(problem.from));
  double scale = problem.elementBits / 8.0;
  for (int64_t n : problem.shape)
    scale *= double(std::max<int64_t>(n, 1));
  epsilon = 1e-9 * toPrimary(scale);
}

/// Least time in which a device can send so many bytes.
double ReshardSearch::toSeconds(double bytes) const {
  if (bytes <= 0)
    return 0;
  return smallestLaunch + smallestLatency + bytes / fastestBandwidth;
}

/// What is to be minimised, at least, for so many bytes.
double ReshardSearch::toPrimary(double bytes) const {
  return problem.model.getObjective() == Objective::Time
             ? toSeconds(bytes)
             : std::max(bytes, 0.0);
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
                                                 ReshardStep *step) {
  auto direct = finder.find(before, after);
  // The search prefers the direct step where the exchange cannot be cheaper.
  std::optional<StepPrice> exchange;
  if (!direct || problem.model.getPrimary(direct->cost) >
                     problem.model.getPrimary(getLeastExchange(before, after)) +
                         epsilon)
    exchange = finder.findExchange(before, after);
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

/// Price below which no exchange stays: the device that holds and needs the
/// first blocks receives one message from each of the other blocks in its box.
CollectiveCost ReshardSearch::getLeastExchange(const Layout &before,
                                               const Layout &after) {
  CollectiveCost cost;
  cost.sentBytes = getBytes(bounds.getReceived(before, after));
  double pieces = 1;
  for (size_t d = 0; d < problem.shape.size(); ++d) {
    int64_t n = problem.shape[d];
    int64_t a = ceilDiv(n, getShardCount(problem.atoms, before, d));
    int64_t b = ceilDiv(n, getShardCount(problem.atoms, after, d));
    if (a > 0)
      pieces *= double(std::max<int64_t>(1, ceilDiv(b, a)));
  }
  double rounds = std::max(pieces - 1, cost.sentBytes > 0 ? 1.0 : 0.0);
  double launch = problem.model.getMachine().getLaunchOverhead(
      CollectiveKind::Exchange);
  cost.seconds = rounds * (launch + smallestLatency) +
                 cost.sentBytes / fastestBandwidth;
  return cost;
}

/// Offers to every layout the way through node `index`, where the estimate of
/// the whole stays within `limit`.
void ReshardSearch::expand(const LayoutSet &set, std::vector<Node> &nodes,
                           unsigned index, double limit, size_t maxWork) {
  const CostModel &model = problem.model;
  const Layout &layout = set[index];
  double reached = model.getPrimary(nodes[index].cost);
  work += nodes.size();
  for (unsigned next = 0; next < nodes.size() && work <= maxWork; ++next) {
    if (next == index)
      continue;
    Node &target = nodes[next];
    if (target.heuristic < 0) {
      target.heuristic = getBytes(bounds.get(set[next]));
      work += 16;
    }
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
    auto direct = finder.find(layout, set[next]);
    if (direct)
      offer(*direct);
    if (layout.unreduced || set[next].unreduced)
      continue;
    // An exchange is dear to price: first see whether it could pay.
    double least = model.getPrimary(getLeastExchange(layout, set[next]));
    work += bounds.isEven(layout, set[next]) ? 16 : devices.getNumListed();
    if (reached + least + rest > limit ||
        (direct && model.getPrimary(direct->cost) <= least + epsilon) ||
        (target.reached &&
         reached + least > model.getPrimary(target.cost) + epsilon))
      continue;
    if (!bounds.isEven(layout, set[next]) &&
        devices.size() <= maxPricedDevices)
      work += size_t(devices.size()) * 16;
    if (auto price = finder.findExchange(layout, set[next]))
      offer(*price);
  }
}

bool ReshardSearch::run(const LayoutSet &set, bool strictly, size_t maxWork) {
  std::vector<Node> nodes(set.size());
  int source = -1, target = -1;
  for (unsigned i = 0; i < set.size(); ++i) {
    if (set[i] == problem.from)
      source = int(i);
    if (set[i] == problem.to)
      target = int(i);
  }
  if (source < 0 || target < 0 || source == target)
    return true;
  heap.clear();
  nodes[source].heuristic = bound;
  nodes[source].reached = nodes[source].open = true;
  push(nodes, unsigned(source));
  double limit = infinitePeak;
  if (hasPath())
    limit = problem.model.getPrimary(cost) + (strictly ? -epsilon : epsilon);
  bool isComplete = true;
  work = 0;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    double estimate = heap.back().first.first;
    unsigned index = heap.back().second;
    heap.pop_back();
    if (!nodes[index].open)
      continue;
    if (nodes[target].reached)
      limit = std::min(
          limit, problem.model.getPrimary(nodes[target].cost) + epsilon);
    if (estimate > limit)
      break;
    nodes[index].open = false;
    if (int(index) == target) {
      if (strictly)
        break;
      continue; // others of equal cost may be better in the second number
    }
    bool mayStop = hasPath() || nodes[target].reached;
    expand(set, nodes, index, limit, mayStop ? maxWork : SIZE_MAX);
    if (mayStop && work > maxWork) {
      isComplete = false;
      break;
    }
  }
  if (!nodes[target].reached ||
      (hasPath() &&
       !isBetter(nodes[target].cost, nodes[target].peak, cost, pathPeak)))
    return isComplete;
  cost = nodes[target].cost;
  pathPeak = nodes[target].peak;
  path.clear();
  for (int index = target; index >= 0; index = nodes[index].parent)
    path.push_back(set[index]);
  std::reverse(path.begin(), path.end());
  return isComplete;
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
