// Builds and solves the labelling problem of a module.

#include "PlacementProblem.h"
#include "InnerCosts.h"
#include "MemoryPrice.h"
#include "OpStrategies.h"
#include "PeakEstimate.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;

namespace partita {

/// Collectives share links and reach part of their bandwidth, while the
/// roofline counts memory traffic of elementwise ops that backends fuse:
/// without this, plans move much data to spare little work. The later ones are
/// for plans that still send more than their start.
constexpr double kLinkShares[] = {4, 64, 256};

/// Time is known to a few launches: so many may be given for fewer bytes, if
/// those are at most this share.
constexpr double kLaunchesForBytes = 4, kBytesForLaunches = 0.9;

/// A plan may need so much more memory than its start, and a page besides;
/// beyond the first share memory counts as much as bytes, beyond the second
/// more. One that needs less may send so much more, and take a launch longer
/// per page.
constexpr double kFreeMemoryShare = 1.05, kMemoryShare = 1.2,
                 kBytesForMemory = 1.5;
constexpr int64_t kPage = 4096;

/// Rounds over all axes, sweeps of the solver in the first and in later ones,
/// and the gap that is good enough, as a share of the cost. In large modules a
/// second round has brought little.
struct Effort {
  unsigned rounds, firstSweeps, laterSweeps;
  double tolerance;
};
constexpr Effort kSmallEffort = {4, 24, 12, 5e-4},
                 kLargeEffort = {1, 24, 0, 1e-2};
/// An axis is settled when it saves no larger share of the cost.
constexpr double kLeastChange = 1e-4;
/// Ops of equal surroundings so far around are split alike. About a layer, so
/// that first and last layers may differ from those between.
constexpr unsigned kMergeDepth = 8;
/// In modules of at most so many nodes, more is tried.
constexpr size_t kMaxSmall = 1000;
/// Splitting an axis is tried into at most so many parts, and kept if it saves
/// this share of the cost.
constexpr size_t kMaxParts = 4;
constexpr double kLeastGain = 0.01;
/// Of the places at which it can be cut in two, so many are tried.
constexpr size_t kMaxPlaces = 3;

PlacementProblem::PlacementProblem(ReshardCosts &costs, const ValueFlow &flow,
                                   double memoryPrice, bool hasLimit)
    : costs(costs), flow(flow), memoryPrice(memoryPrice), hasLimit(hasLimit),
      labelCache(costs, flow), useCosts(std::make_unique<UseCostCache>(costs)) {
  // Another problem may have left slower links.
  costs.setLinkShare(1);
  for (unsigned node = 0, e = flow.nodes.size(); node < e; ++node)
    states.push_back(flow.nodes[node]->op ? makeStart(node) : Choice());
  auto startAt = [&](unsigned node, spmd::ShardingAttr sharding) {
    FactorSharding start(*flow.nodes[node]->rule, flow.nodes[node]->mesh);
    start.addResult(0, sharding);
    states[node] = {&labelCache.get(node, start, {})};
  };
  for (auto [value, node] : flow.chosenValues)
    startAt(node, spmd::getSharding(value));
  for (const ValueFlow::FreeResult &result : flow.freeResults)
    startAt(result.node,
            spmd::getResultSharding(result.function, result.index));
}

/// Cost of a label at the start: reshards from and to what propagation chose.
double PlacementProblem::getStartCost(const FlowNode &node,
                                      const FactorSharding &label) {
  double cost = 0;
  NodeLayouts layouts(node, label);
  auto addReshard = [&](Value value, spmd::ShardingAttr inner, bool isResult) {
    spmd::ShardingAttr outer = spmd::getSharding(value);
    if (!outer)
      return;
    cost += costs.getReshardCost(
        isResult ? inner : outer, isResult ? outer : inner,
        cast<RankedTensorType>(value.getType()), node.manualAxes);
  };
  for (auto [index, operand] : llvm::enumerate(node.op->getOperands()))
    addReshard(operand, layouts.operands[index], false);
  for (auto [index, result] : llvm::enumerate(node.op->getResults()))
    addReshard(result, layouts.results[index], true);
  return cost + labelCache.getComputeCost(node, label, layouts) +
         getInnerCost(costs, node, label);
}

Choice PlacementProblem::makeStart(unsigned number) {
  const FlowNode &node = *flow.nodes[number];
  SmallVector<spmd::ShardingAttr> operands, results;
  PointerList key{
      reinterpret_cast<const void *>(uintptr_t(labelCache.getClass(number)))};
  auto collect = [&](ValueRange values,
                     SmallVectorImpl<spmd::ShardingAttr> &list) {
    for (Value value : values) {
      list.push_back(isa<RankedTensorType>(value.getType())
                         ? spmd::getSharding(value)
                         : nullptr);
      key.push_back(list.back().getAsOpaquePointer());
    }
  };
  collect(node.op->getOperands(), operands);
  collect(node.op->getResults(), results);
  Choice &known = knownStarts[key];
  if (known.set)
    return known;
  OpContext context{*node.rule, node.meshName, node.mesh, operands, results};
  if (auto agreed = findAgreement(context))
    return known = {&labelCache.get(number, *agreed, {})};
  SmallVector<FactorSharding> strategies = makeStrategies(context);
  size_t best = 0;
  double least = infiniteCost;
  for (auto [index, strategy] : llvm::enumerate(strategies))
    if (double cost = getStartCost(node, strategy); cost < least) {
      least = cost;
      best = index;
    }
  return known = {&labelCache.get(number, strategies[best], {})};
}

static bool isAmong(spmd::AxisRefAttr axis, spmd::AxisListAttr list) {
  return list && llvm::any_of(list.getAxes(), [&](spmd::AxisRefAttr other) {
           return other.getName() == axis.getName();
         });
}

/// True if that saves much.
bool PlacementProblem::improve(Axis axisOfMesh, unsigned maxSweeps,
                               double tolerance) {
  auto [axis, meshName] = axisOfMesh;
  std::vector<const LabelSet *> labels;
  for (auto [index, node] : llvm::enumerate(flow.nodes)) {
    bool isUsable =
        node->meshName == meshName && !isAmong(axis, node->manualAxes);
    labels.push_back(&labelCache.get(index, states[index].getSplit(),
                                     isUsable ? axis : spmd::AxisRefAttr()));
  }
  AxisGraph axisGraph(*useCosts, flow, labels, memoryPrice);
  axisGraph.build();
  PlacementOptions options;
  options.baseline = axisGraph.baseline;
  options.maxSweeps = maxSweeps;
  options.tolerance = tolerance;
  options.mergeDepth = kMergeDepth;
  PlacementSolution solution = partita::solve(axisGraph.graph, options);
  double before = axisGraph.graph.getCost(axisGraph.baseline);
  bool isBetter = solution.cost < before * (1 - 1e-9);
  cost = std::min(solution.cost, before);
  ArrayRef<unsigned> chosen =
      isBetter ? ArrayRef(solution.labels) : ArrayRef(axisGraph.baseline);
  for (size_t index = 0, e = states.size(); index < e; ++index)
    states[index] = {labels[index], chosen[index]};
  kept.clear();
  for (auto [index, entry] : llvm::enumerate(axisGraph.keptValues))
    if (spmd::ShardingAttr keep =
            entry.costs->kept[chosen[states.size() + index]])
      kept[flow.values[entry.value].value] = keep;
  return cost < before * (1 - kLeastChange);
}

void PlacementProblem::setPlan(const Plan &plan) {
  states = plan.states;
  kept = plan.kept;
  cost = plan.cost;
}

/// Takes the axes in turn; an axis is settled until another one changes much.
void PlacementProblem::settle(ArrayRef<Axis> axes) {
  const Effort &effort =
      flow.nodes.size() <= kMaxSmall ? kSmallEffort : kLargeEffort;
  size_t settled = 0;
  for (size_t step = 0, e = axes.size() * effort.rounds;
       step < e && settled < axes.size(); ++step) {
    unsigned maxSweeps =
        step < axes.size() ? effort.firstSweeps : effort.laterSweeps;
    bool saves = improve(axes[step % axes.size()], maxSweeps, effort.tolerance);
    settled = saves ? 1 : settled + 1;
  }
}

/// Sizes of the major part where an axis is cut in two; those first that most
/// factors have in common with the axis.
static SmallVector<int64_t> getPlaces(const ValueFlow &flow, int64_t size) {
  llvm::DenseMap<int64_t, unsigned> wanted;
  for (const auto &node : flow.nodes)
    for (const spmd::Factor &factor : node->rule->factors)
      ++wanted[std::gcd(factor.size, size)];
  SmallVector<int64_t> places;
  for (int64_t part = 2; part < size; ++part)
    if (size % part == 0)
      places.push_back(part);
  llvm::stable_sort(places, [&](int64_t a, int64_t b) {
    return wanted.lookup(a) > wanted.lookup(b);
  });
  places.truncate(std::min(places.size(), kMaxPlaces));
  return places;
}

/// The ways to cut an axis of `size` that are tried: into primes, which can
/// form any other, and into two, whose parts move as one.
static SmallVector<SmallVector<int64_t>> getCuts(const ValueFlow &flow,
                                                 int64_t size) {
  SmallVector<int64_t> primes;
  for (int64_t prime = 2, rest = size; rest > 1; ++prime)
    for (; rest % prime == 0; rest /= prime)
      primes.push_back(prime);
  SmallVector<SmallVector<int64_t>> cuts;
  if (primes.size() >= 2 && primes.size() <= kMaxParts)
    cuts.push_back(primes);
  if (primes.size() > 2)
    for (int64_t part : getPlaces(flow, size))
      cuts.push_back({part, size / part});
  return cuts;
}

/// Lets parts of an axis go different ways. Kept only where that saves more
/// than the launches it may cost later.
void PlacementProblem::trySplitting(Axis axis) {
  spmd::MeshAttr mesh = costs.getMesh(axis.second);
  Plan start{states, kept, cost}, best = start;
  for (ArrayRef<int64_t> cut : getCuts(flow, axis.first.getSize(mesh))) {
    SmallVector<spmd::AxisRefAttr> parts;
    SmallVector<Axis> partsOfMesh;
    int64_t pre = 1;
    for (int64_t size : cut) {
      parts.push_back(spmd::AxisRefAttr::get(mesh.getContext(),
                                             axis.first.getName(), pre, size));
      partsOfMesh.push_back({parts.back(), axis.second});
      pre *= size;
    }
    setPlan(start);
    for (auto [index, state] : llvm::enumerate(states)) {
      FactorSharding split = state.getSplit();
      split.cut(axis.first, parts);
      state = {&labelCache.get(index, split, {})};
    }
    settle(partsOfMesh);
    if (cost < best.cost)
      best = {states, kept, cost};
  }
  setPlan(best.cost < start.cost * (1 - kLeastGain) ? best : start);
}

/// Which axis comes first decides where the others find room: small modules try
/// the opposite order too.
void PlacementProblem::tryReversed(ArrayRef<Axis> axes, const Plan &start) {
  Plan first{states, kept, cost};
  SmallVector<Axis> reversed(llvm::reverse(axes));
  setPlan(start);
  settle(reversed);
  if (cost >= first.cost * (1 - 1e-6))
    setPlan(first);
}

/// What the present states cost: their reshards, each layout of a value made
/// once, from the nearer of the two in which it is kept; and what ops send
/// inside. Bytes or, with the work of all ops, seconds.
double PlacementProblem::count(Objective objective) {
  Objective before = costs.getCounted();
  costs.setCounted(objective);
  double total = 0;
  for (const FlowValue &value : flow.values) {
    auto getCost = [&](spmd::ShardingAttr from, spmd::ShardingAttr to) {
      return costs.getReshardCost(from, to, value.type, value.manualAxes);
    };
    spmd::ShardingAttr source = getSource(value);
    spmd::ShardingAttr keep = getKept(value.value);
    double sum = keep ? getCost(source, keep) : 0;
    llvm::SmallSetVector<spmd::ShardingAttr, 4> wanted;
    for (const FlowUse &use : value.uses)
      wanted.insert(getWanted(use));
    for (spmd::ShardingAttr layout : wanted) {
      double least = getCost(source, layout);
      sum += keep ? std::min(least, getCost(keep, layout)) : least;
    }
    total += value.trips * sum;
  }
  for (auto [node, state] : llvm::zip_equal(flow.nodes, states)) {
    const FactorSharding &split = state.getSplit();
    double own = getInnerCost(costs, *node, split);
    if (objective == Objective::Time)
      own += labelCache.getComputeCost(*node, split, NodeLayouts(*node, split));
    total += node->trips * own;
  }
  costs.setCounted(before);
  return total;
}

void PlacementProblem::tryAll(ArrayRef<Axis> axes) {
  Plan start{states, kept, cost};
  settle(axes);
  if (flow.nodes.size() > kMaxSmall)
    return;
  if (axes.size() > 1)
    tryReversed(axes, start);
  for (Axis axis : axes)
    trySplitting(axis);
}

/// Later solutions count links as having one part in `share` of their
/// bandwidth.
void PlacementProblem::setLinkShare(double share) {
  if (share == linkShare)
    return;
  linkShare = share;
  costs.setLinkShare(kLinkShares[0], share - kLinkShares[0]);
  labelCache.dropCosts();
  useCosts = std::make_unique<UseCostCache>(costs);
}

/// From the start, with links that slow.
void PlacementProblem::tryShare(double share, ArrayRef<Axis> axes,
                                const Plan &start) {
  auto [known, isNew] = byShare.try_emplace(share);
  if (!isNew)
    return setPlan(known->second);
  setPlan(start);
  setLinkShare(share);
  tryAll(axes);
  known->second = {states, kept, cost};
}

/// The present plan, counted with links at their usual share.
PlacementProblem::Plan PlacementProblem::measure() {
  costs.setLinkShare(kLinkShares[0]);
  return {states,
          kept,
          cost,
          count(Objective::Bytes),
          estimatePeak(costs, flow, *this),
          count(Objective::Time)};
}

/// From the start, with links as slow as it takes not to send more than that.
void PlacementProblem::choose(ArrayRef<Axis> axes, const Plan &start) {
  for (double share : kLinkShares) {
    tryShare(share, axes, start);
    // A limit of memory may cost bytes.
    if (memoryPrice > 0 || count(Objective::Bytes) <= start.bytes * (1 + 1e-9))
      return;
  }
  setPlan(start);
}

/// A plan that was made as if links were slower, and sends less, stands if it
/// loses no more than a few launches.
void PlacementProblem::saveBytes(ArrayRef<Axis> axes, const Plan &start) {
  Plan best = measure();
  double mostSeconds =
      best.seconds + kLaunchesForBytes * costs.getLaunchSeconds();
  double mostPeak = std::max(best.peak, start.peak * kMemoryShare);
  for (double share : ArrayRef(kLinkShares).drop_front()) {
    tryShare(share, axes, start);
    Plan plan = measure();
    if (plan.bytes <= best.bytes * kBytesForLaunches &&
        plan.seconds <= mostSeconds && plan.peak <= mostPeak)
      best = plan;
  }
  setPlan(best);
  setLinkShare(kLinkShares[0]);
}

/// A plan that needs more memory than the start yields to one that does not,
/// made as if links were slower or with a price of memory, if that sends not
/// much more. Prices do not order plans strictly: of those that do not need
/// much more, the one with the least product of bytes and excess memory; if all
/// do, of those.
void PlacementProblem::saveMemory(ArrayRef<Axis> axes, const Plan &start) {
  int64_t limit = start.peak * kFreeMemoryShare + kPage;
  if (estimatePeak(costs, flow, *this) <= limit)
    return;
  const Plan first = measure();
  Plan best = first;
  double mostBytes = std::min(start.bytes, first.bytes * kBytesForMemory);
  double mostPeak = start.peak * kMemoryShare + kPage;
  auto weigh = [&](const Plan &plan) {
    return std::pair(plan.peak > mostPeak,
                     plan.bytes * std::max(plan.peak / double(limit), 1.0));
  };
  auto offer = [&]() -> int64_t {
    Plan plan = measure();
    double mostSeconds = first.seconds + (first.peak - plan.peak) / kPage *
                                             costs.getLaunchSeconds();
    if (weigh(plan) < weigh(best) && plan.bytes <= mostBytes &&
        plan.seconds <= mostSeconds)
      best = plan;
    return plan.peak;
  };
  for (double share : ArrayRef(kLinkShares).drop_front()) {
    tryShare(share, axes, start);
    offer();
  }
  setLinkShare(kLinkShares[0]);
  auto make = [&](double price) -> FailureOr<int64_t> {
    memoryPrice = price;
    setPlan(start);
    tryAll(axes);
    return offer();
  };
  // At first, all memory together costs a thousandth of the rest, as the slowest
  // links count it.
  (void)findMemoryPrice(limit, 1e-3 * cost / first.peak, make);
  setPlan(best);
}

void PlacementProblem::solve() {
  SmallVector<Axis> axes;
  llvm::SmallSetVector<Attribute, 2> meshes;
  for (const auto &node : flow.nodes)
    if (meshes.insert(node->meshName))
      for (spmd::MeshAxisAttr axis : node->mesh.getAxes())
        if (axis.getSize() > 1)
          axes.push_back(
              {spmd::AxisRefAttr::get(axis.getContext(), axis.getName(), 0, 0),
               node->meshName});
  Plan start{states, kept, cost};
  if (memoryPrice == 0) {
    start.bytes = count(Objective::Bytes);
    start.peak = estimatePeak(costs, flow, *this);
  }
  choose(axes, start);
  if (memoryPrice > 0)
    return;
  if (flow.nodes.size() <= kMaxSmall && costs.getCounted() == Objective::Time)
    saveBytes(axes, start);
  if (!hasLimit)
    saveMemory(axes, start);
}

} // namespace partita
