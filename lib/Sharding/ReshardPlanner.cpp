// Memo, normalisation and certificate around the search. Atoms that shard the
// same dimension at the same major place on both sides, where sizes divide, are
// taken off before the search and put back after it.
#include "partita/Sharding/ReshardPlanner.h"
#include "PriceCurve.h"
#include "ReshardSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cstdio>

using namespace partita;

namespace {

struct PlanKey {
  Layout from, to;
  Shape shape;
  unsigned elementBits;
  bool operator==(const PlanKey &other) const {
    return elementBits == other.elementBits && shape == other.shape &&
           from == other.from && to == other.to;
  }
};

struct PlanKeyHash {
  size_t operator()(const PlanKey &key) const {
    return llvm::hash_combine(
        hash_value(key.from), hash_value(key.to), key.elementBits,
        llvm::hash_combine_range(key.shape.begin(), key.shape.end()));
  }
};

/// Spare atoms help where partial sums are reduced and in some uneven moves;
/// more than two do not pay for the search.
constexpr unsigned maxSpares = 2;
enum class Spares { None, Dividing, Any };

bool reducesPartials(const Layout &from, const Layout &to) {
  return (from.unreduced & ~to.unreduced) ||
         (from.unreduced && from.kind != to.kind);
}

} // namespace

struct ReshardPlanner::Impl {
  AxisAtoms atoms;
  ReshardOptions options;
  CostModel model;
  std::unordered_map<PlanKey, std::unique_ptr<ReshardPlan>, PlanKeyHash> plans;
  llvm::StringMap<PriceCurve> curves;

  Impl(AxisAtoms atoms, ReshardOptions options)
      : atoms(std::move(atoms)), options(options),
        model(options.machine, options.objective) {}

  PlanKey getKey(const Layout &from, const Layout &to,
                 llvm::ArrayRef<int64_t> shape, unsigned elementBits) const {
    return {canonicalize(atoms, from), canonicalize(atoms, to),
            Shape(shape.begin(), shape.end()), elementBits};
  }
  ReshardProblem makeProblem(const PlanKey &key) const {
    return {atoms,  model,     key.from,
            key.to, key.shape, key.elementBits,
            0,      0,         options.memoryLimit};
  }
  void fill(ReshardPlan &plan, const PlanKey &key) const;
  std::optional<Price> priceUsual(const Layout &from, const Layout &to,
                                  llvm::ArrayRef<int64_t> shape,
                                  unsigned elementBits);
  void appendCurveKey(const ReshardProblem &problem, bool hasPartials,
                      llvm::SmallVectorImpl<char> &key) const;
  std::optional<CollectiveCost>
  getUsualCost(const ReshardProblem &problem) const;
  void runUsual(const ReshardProblem &problem, ReshardSearch &search) const;
  bool searchUsual(const ReshardProblem &problem, ReshardPlan &plan) const;
  void searchAll(const ReshardProblem &problem, ReshardPlan &plan) const;
  bool takePath(ReshardSearch &search, ReshardPlan &plan) const;
  AtomMask chooseSpares(const ReshardProblem &problem, int64_t largest) const;
  int64_t getLargestSplit(const ReshardProblem &problem) const;
  llvm::SmallVector<AtomList, 4> takePrefixes(ReshardProblem &problem,
                                              Spares spares) const;
  void certify(ReshardPlan &plan) const;
};

/// Atoms that shard dimension `dim` at the same major places on both sides, for
/// as long as they divide it.
static AtomList getCommonPrefix(const AxisAtoms &atoms, const Layout &from,
                                const Layout &to, size_t dim, int64_t n) {
  const AtomList &a = from.dims[dim], &b = to.dims[dim];
  AtomList prefix;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    if (n % atoms.getSize(a[i]) != 0)
      break;
    n /= atoms.getSize(a[i]);
    prefix.push_back(a[i]);
  }
  return prefix;
}

static void dropPrefix(Layout &layout, size_t dim, size_t length) {
  AtomList &list = layout.dims[dim];
  list.erase(list.begin(), list.begin() + length);
}

static void putPrefix(const AtomList &prefix, AtomList &list) {
  list.insert(list.begin(), prefix.begin(), prefix.end());
}

AtomMask ReshardPlanner::Impl::chooseSpares(const ReshardProblem &problem,
                                            int64_t largest) const {
  if (problem.shape.empty())
    return 0;
  AtomMask taken = atoms.getOverlap(problem.from.getUsed() |
                                    problem.to.getUsed() | problem.forbidden);
  AtomList free;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis)
    for (AtomId atom : atoms.getFactorisation(axis, 0))
      if (!(taken & atomBit(atom)) && atoms.getSize(atom) <= largest)
        free.push_back(atom);
  llvm::sort(free, [&](AtomId a, AtomId b) {
    int64_t sizeA = atoms.getSize(a), sizeB = atoms.getSize(b);
    return sizeA != sizeB ? sizeA > sizeB : a < b;
  });
  AtomMask spares = 0;
  for (AtomId atom : llvm::ArrayRef<AtomId>(free).take_front(maxSpares))
    spares |= atomBit(atom);
  return spares;
}

/// Most shards that a layout of the search may put on one dimension.
int64_t
ReshardPlanner::Impl::getLargestSplit(const ReshardProblem &problem) const {
  AtomMask live =
      problem.from.getUsed() | problem.to.getUsed() | problem.spares;
  int64_t product = 1;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis) {
    int64_t used = 1;
    for (AtomId atom = 0; atom < atoms.size(); ++atom)
      if ((live & atomBit(atom)) && atoms[atom].axis == axis)
        used *= atoms.getSize(atom);
    product *= used > 1 && atoms.getNumFactorisations(axis) > 1
                   ? atoms.getMesh().axes[axis].size
                   : used;
  }
  return product;
}

/// Takes the common prefix of each dimension off the problem, where what is
/// left of the dimension divides by all that the search may put on it: only
/// then are layouts of the rest layouts of the whole. Chooses the spare atoms
/// too: none, those that can split a device's buffer, or any.
llvm::SmallVector<AtomList, 4>
ReshardPlanner::Impl::takePrefixes(ReshardProblem &problem,
                                   Spares spares) const {
  size_t rank = problem.shape.size();
  llvm::SmallVector<AtomList, 4> prefixes(rank);
  for (size_t d = 0; d < rank; ++d) {
    prefixes[d] =
        getCommonPrefix(atoms, problem.from, problem.to, d, problem.shape[d]);
    problem.shape[d] /= atoms.getSize(prefixes[d]);
    dropPrefix(problem.from, d, prefixes[d].size());
    dropPrefix(problem.to, d, prefixes[d].size());
  }
  while (true) {
    problem.forbidden = 0;
    for (const AtomList &prefix : prefixes)
      for (AtomId atom : prefix)
        problem.forbidden |= atomBit(atom);
    problem.spares = 0;
    if (spares == Spares::Dividing)
      problem.spares = chooseSpares(
          problem, getLocalElements(atoms, problem.from, problem.shape));
    else if (spares == Spares::Any)
      problem.spares = chooseSpares(problem, INT64_MAX);
    int64_t split = getLargestSplit(problem);
    bool changed = false;
    for (size_t d = 0; d < rank; ++d) {
      AtomList &prefix = prefixes[d];
      if (prefix.empty() || problem.shape[d] % split == 0)
        continue;
      problem.shape[d] *= atoms.getSize(prefix);
      putPrefix(prefix, problem.from.dims[d]);
      putPrefix(prefix, problem.to.dims[d]);
      prefix.clear();
      changed = true;
    }
    if (!changed)
      return prefixes;
  }
}

/// Takes the best path of the search; false if there is none.
bool ReshardPlanner::Impl::takePath(ReshardSearch &search,
                                    ReshardPlan &plan) const {
  plan.bound = search.getBound();
  plan.boundSeconds = search.getBoundSeconds();
  const std::vector<Layout> &path = search.getPath();
  for (size_t i = 1; i < path.size(); ++i) {
    ReshardStep step;
    search.getPrice(path[i - 1], path[i], &step);
    plan.sentBytes += step.cost.sentBytes;
    plan.seconds += step.cost.seconds;
    plan.linkSeconds += step.cost.linkSeconds;
    plan.launches += step.cost.launches;
    plan.peakBytes = std::max(plan.peakBytes, step.peakBytes);
    plan.steps.push_back(std::move(step));
  }
  return !path.empty();
}

/// First the single step, then the usual plans.
void ReshardPlanner::Impl::runUsual(const ReshardProblem &problem,
                                    ReshardSearch &search) const {
  LayoutSet usual(atoms);
  usual.insert(problem.from);
  usual.insert(problem.to);
  search.run(usual, /*strictly=*/false, options.maxWork);
  if (search.isTight())
    return;
  addUsualLayouts(problem, usual);
  search.run(usual, /*strictly=*/false, options.maxWork);
}

/// True if the best of the usual plans is optimal; otherwise `plan` is left
/// alone.
bool ReshardPlanner::Impl::searchUsual(const ReshardProblem &problem,
                                       ReshardPlan &plan) const {
  ReshardSearch search(problem);
  runUsual(problem, search);
  return search.isTight() && takePath(search, plan);
}

static Spares getUsualSpares(const Layout &from, const Layout &to) {
  return reducesPartials(from, to) ? Spares::Dividing : Spares::None;
}

/// What the price depends on besides the bytes. The order of dimensions does
/// not matter, nor does the size of one that divides by all that the search may
/// put on it; one that no layout splits matters only where the search may do
/// so, to share the work on partial sums: then as many as there are atoms.
void ReshardPlanner::Impl::appendCurveKey(
    const ReshardProblem &problem, bool hasPartials,
    llvm::SmallVectorImpl<char> &key) const {
  auto append = [](llvm::SmallVectorImpl<char> &to, const auto &value) {
    const char *bytes = reinterpret_cast<const char *>(&value);
    to.append(bytes, bytes + sizeof(value));
  };
  int64_t split = getLargestSplit(problem);
  int numFree = llvm::popcount(problem.from.getUsed() | problem.to.getUsed() |
                               problem.spares);
  llvm::SmallVector<llvm::SmallString<24>, 4> dims;
  for (size_t d = 0; d < problem.shape.size(); ++d) {
    const AtomList &from = problem.from.dims[d], &to = problem.to.dims[d];
    bool isFree = from.empty() && to.empty();
    if (isFree && (!hasPartials || problem.shape[d] == 1))
      continue;
    bool divides = problem.shape[d] % split == 0;
    if (isFree && divides && numFree-- <= 0)
      continue;
    llvm::SmallString<24> &dim = dims.emplace_back();
    append(dim, divides ? int64_t(0) : problem.shape[d]);
    for (const AtomList *list : {&from, &to}) {
      append(dim, uint8_t(list->size()));
      dim.append(list->begin(), list->end());
    }
  }
  llvm::sort(dims);
  for (llvm::StringRef dim : dims)
    key.append(dim.begin(), dim.end());
  for (const Layout *layout : {&problem.from, &problem.to}) {
    append(key, layout->unreduced);
    append(key, layout->kind);
  }
  append(key, problem.spares);
  append(key, atoms.hasAlternatives() ? problem.forbidden : AtomMask(0));
}

/// True if no usual plan is faster than this one collective, where none can
/// send less than `bound`. A slice, or values made partial sums: each plan ends
/// with a step that makes as much. A gather or a reduction that sends no more
/// than it must: in parts it takes as many hops and more launches, on machines
/// that launch one kind as fast as another.
static bool isFastest(const StepPrice &step, double bound,
                      const Machine &machine) {
  switch (step.kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::ToUnreduced:
    return true;
  case CollectiveKind::AllGather:
  case CollectiveKind::Broadcast:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllReduce:
    return machine.hasEqualKinds() &&
           step.cost.sentBytes <= bound * (1 + 1e-9);
  default:
    return false;
  }
}

/// The cost of the best of the usual plans.
std::optional<CollectiveCost>
ReshardPlanner::Impl::getUsualCost(const ReshardProblem &problem) const {
  ReshardSearch search(problem);
  auto step = search.getFinder().find(problem.from, problem.to);
  if (step && isFastest(*step, search.getBound(), problem.model.getMachine()) &&
      (options.memoryLimit == 0 || step->peakBytes <= options.memoryLimit))
    return step->cost;
  runUsual(problem, search);
  return search.hasPath() ? std::optional(search.getCost()) : std::nullopt;
}

/// Nothing where no usual plan leads from one to the other.
std::optional<ReshardPlanner::Price>
ReshardPlanner::Impl::priceUsual(const Layout &from, const Layout &to,
                                 llvm::ArrayRef<int64_t> shape,
                                 unsigned elementBits) {
  ReshardProblem problem = makeProblem(getKey(from, to, shape, elementBits));
  if (problem.from == problem.to)
    return Price();
  bool hasPartials = problem.from.unreduced || problem.to.unreduced;
  takePrefixes(problem, getUsualSpares(problem.from, problem.to));
  llvm::SmallString<128> curveKey;
  appendCurveKey(problem, hasPartials, curveKey);
  PriceCurve &curve = curves[curveKey];
  double elements = 1;
  for (int64_t size : problem.shape)
    elements *= double(size);
  // A limit of memory forbids plans by the bytes.
  bool isCurve = options.memoryLimit == 0 && elements > 0;
  double bytes = elements * elementBits / 8;
  std::optional<CollectiveCost> cost;
  if (isCurve)
    cost = curve.get(bytes);
  // Where sizes differ, many do: one far away finds the line for most.
  constexpr unsigned kManyBits = 1 << 30;
  double most = elements * kManyBits / 8;
  if (!cost && isCurve && curve.isSinglePoint() && bytes < most &&
      bytes > curve.getFirstBytes()) {
    problem.elementBits = kManyBits;
    if (auto atMost = getUsualCost(problem))
      curve.add(most, *atMost);
    problem.elementBits = elementBits;
    cost = curve.get(bytes);
  }
  if (!cost) {
    cost = getUsualCost(problem);
    if (cost && isCurve)
      curve.add(bytes, *cost);
  }
  if (!cost)
    return std::nullopt;
  return Price{cost->seconds, cost->sentBytes, cost->linkSeconds, true};
}

/// All layouts, or the usual ones where those are too many.
void ReshardPlanner::Impl::searchAll(const ReshardProblem &problem,
                                     ReshardPlan &plan) const {
  ReshardSearch search(problem);
  LayoutSet layouts(atoms);
  layouts.insert(problem.from);
  layouts.insert(problem.to);
  addUsualLayouts(problem, layouts);
  search.run(layouts, /*strictly=*/false, options.maxWork);
  LayoutSet all = layouts;
  bool isComplete = addAllLayouts(problem, options.maxStates, all);
  if (isComplete)
    isComplete = search.run(all, search.hasPath(), options.maxWork);
  plan.optimal = isComplete || search.isTight();
  if (takePath(search, plan))
    return;
  plan.feasible = false;
  plan.optimal = false;
  plan.peakBytes = search.getSmallestPeak(isComplete ? all : layouts);
}

void ReshardPlanner::Impl::certify(ReshardPlan &plan) const {
  if (!plan.feasible) {
    plan.certificateText = "infeasible";
  } else if (plan.optimal) {
    plan.certificateText =
        options.objective == Objective::Bytes
            ? std::string("optimal(bytes)")
            : "optimal(time, " + model.getMachine().name + ")";
  } else {
    bool isTime = options.objective == Objective::Time;
    double value = isTime ? plan.seconds : plan.sentBytes;
    double bound = isTime ? plan.boundSeconds : plan.bound;
    char text[64];
    if (bound > 0)
      std::snprintf(text, sizeof(text), "gap(%.4g x bound)", value / bound);
    else
      std::snprintf(text, sizeof(text), "gap(%.4g over bound 0)", value);
    plan.certificateText = text;
  }
}

void ReshardPlanner::Impl::fill(ReshardPlan &plan, const PlanKey &key) const {
  if (key.from == key.to) {
    plan.optimal = true;
    certify(plan);
    return;
  }
  ReshardProblem problem = makeProblem(key);
  llvm::SmallVector<AtomList, 4> prefixes =
      takePrefixes(problem, getUsualSpares(key.from, key.to));
  plan.optimal = searchUsual(problem, plan);
  if (!plan.optimal) {
    problem.from = key.from;
    problem.to = key.to;
    problem.shape = key.shape;
    prefixes = takePrefixes(problem, Spares::Any);
    searchAll(problem, plan);
  }
  for (ReshardStep &step : plan.steps)
    for (Layout *layout : {&step.before, &step.after})
      for (auto [prefix, list] : llvm::zip_equal(prefixes, layout->dims))
        putPrefix(prefix, list);
  certify(plan);
}

ReshardPlanner::ReshardPlanner(AxisAtoms atoms, ReshardOptions options)
    : impl(std::make_unique<Impl>(std::move(atoms), options)) {}
ReshardPlanner::~ReshardPlanner() = default;
ReshardPlanner::ReshardPlanner(ReshardPlanner &&) noexcept = default;

const AxisAtoms &ReshardPlanner::getAtoms() const { return impl->atoms; }
const CostModel &ReshardPlanner::getCostModel() const { return impl->model; }

const ReshardPlan &ReshardPlanner::plan(const Layout &from, const Layout &to,
                                        llvm::ArrayRef<int64_t> shape,
                                        unsigned elementBits) {
  PlanKey key = impl->getKey(from, to, shape, elementBits);
  auto [position, isNew] = impl->plans.try_emplace(key);
  if (isNew) {
    position->second = std::make_unique<ReshardPlan>();
    impl->fill(*position->second, key);
  }
  return *position->second;
}

ReshardPlanner::Price ReshardPlanner::price(const Layout &from,
                                            const Layout &to,
                                            llvm::ArrayRef<int64_t> shape,
                                            unsigned elementBits) {
  if (impl->options.objective == Objective::Time)
    if (auto price = impl->priceUsual(from, to, shape, elementBits))
      return *price;
  // Few plans are outside of the usual ones, so that this is rare under `time`.
  const ReshardPlan &best = plan(from, to, shape, elementBits);
  return {best.seconds, best.sentBytes, best.linkSeconds, best.feasible};
}

std::optional<ReshardStep>
ReshardPlanner::getSingleStep(const Layout &from, const Layout &to,
                              llvm::ArrayRef<int64_t> shape,
                              unsigned elementBits) const {
  StepFinder finder(impl->atoms, impl->model, shape, elementBits);
  Layout before = canonicalize(impl->atoms, from);
  Layout after = canonicalize(impl->atoms, to);
  ReshardStep step;
  if (finder.find(before, after, &step))
    return step;
  ReshardStep exchange;
  if (finder.findExchange(before, after, &exchange))
    return exchange;
  return std::nullopt;
}
