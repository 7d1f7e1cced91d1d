// Memo, normalisation and certificate around the search. Atoms that shard the
// same dimension at the same major place on both sides, where sizes divide, are
// taken off before the search and put back after it.
#include "partita/Sharding/ReshardPlanner.h"
#include "ReshardSearch.h"
#include "llvm/ADT/STLExtras.h"
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

/// Spare atoms help a reduction only; more than two do not pay for the search.
constexpr unsigned maxSpares = 2;

} // namespace

struct ReshardPlanner::Impl {
  AxisAtoms atoms;
  ReshardOptions options;
  CostModel model;
  std::unordered_map<PlanKey, std::unique_ptr<ReshardPlan>, PlanKeyHash> plans;

  Impl(AxisAtoms atoms, ReshardOptions options)
      : atoms(std::move(atoms)), options(options),
        model(options.machine ? *options.machine : getMachines().front(),
              options.objective) {}

  void fill(ReshardPlan &plan, const PlanKey &key) const;
  void search(const ReshardProblem &problem, ReshardPlan &plan) const;
  AtomMask chooseSpares(const ReshardProblem &problem) const;
  void addStep(ReshardPlan &plan, ReshardStep step) const;
  void certify(ReshardPlan &plan) const;
};

/// Takes the common even prefix off both layouts; returns it.
static llvm::SmallVector<AtomList, 4> takePrefix(const AxisAtoms &atoms,
                                                 Layout &from, Layout &to,
                                                 Shape &shape) {
  llvm::SmallVector<AtomList, 4> prefixes(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    AtomList &a = from.dims[d], &b = to.dims[d];
    size_t length = 0;
    while (length < a.size() && length < b.size() &&
           a[length] == b[length] &&
           shape[d] % atoms.getSize(a[length]) == 0)
      shape[d] /= atoms.getSize(a[length++]);
    prefixes[d].assign(a.begin(), a.begin() + length);
    a.erase(a.begin(), a.begin() + length);
    b.erase(b.begin(), b.begin() + length);
  }
  return prefixes;
}

static void putPrefix(llvm::ArrayRef<AtomList> prefixes, Layout &layout) {
  for (size_t d = 0; d < prefixes.size(); ++d)
    layout.dims[d].insert(layout.dims[d].begin(), prefixes[d].begin(),
                          prefixes[d].end());
}

AtomMask
ReshardPlanner::Impl::chooseSpares(const ReshardProblem &problem) const {
  AtomMask reduced = problem.from.unreduced;
  if (problem.from.kind == problem.to.kind)
    reduced &= ~problem.to.unreduced;
  if (!reduced || problem.shape.empty())
    return 0;
  AtomMask taken = atoms.getOverlap(problem.from.getUsed() |
                                    problem.to.getUsed() | problem.forbidden);
  int64_t local = getLocalElements(atoms, problem.from, problem.shape);
  AtomList free;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis)
    for (AtomId atom : atoms.getFactorisation(axis, 0))
      if (!(taken & atomBit(atom)) && atoms.getSize(atom) <= local)
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

void ReshardPlanner::Impl::addStep(ReshardPlan &plan, ReshardStep step) const {
  plan.sentBytes += step.cost.sentBytes;
  plan.seconds += step.cost.seconds;
  plan.launches += step.cost.launches;
  plan.peakBytes = std::max(plan.peakBytes, step.peakBytes);
  plan.steps.push_back(std::move(step));
}

void ReshardPlanner::Impl::search(const ReshardProblem &problem,
                                  ReshardPlan &plan) const {
  ReshardSearch search(problem);
  plan.bound = search.getBound();
  LayoutSet usual(atoms);
  usual.insert(problem.from);
  usual.insert(problem.to);
  search.run(usual); // the single step
  bool exhaustive = false;
  if (!search.isTight()) {
    addUsualLayouts(problem, usual);
    search.run(usual);
  }
  if (!search.isTight()) {
    LayoutSet all(atoms);
    all.insert(problem.from);
    all.insert(problem.to);
    if (addAllLayouts(problem, options.maxStates, all)) {
      search.run(all);
      exhaustive = true;
    }
    if (!search.hasPath()) {
      plan.feasible = false;
      plan.peakBytes = search.getSmallestPeak(exhaustive ? all : usual);
      return;
    }
  }
  plan.optimal = exhaustive || search.isTight();
  const std::vector<Layout> &path = search.getPath();
  for (size_t i = 1; i < path.size(); ++i) {
    ReshardStep step;
    search.getPrice(path[i - 1], path[i], &step);
    addStep(plan, std::move(step));
  }
}

void ReshardPlanner::Impl::certify(ReshardPlan &plan) const {
  if (!plan.feasible) {
    plan.certificateText = "infeasible";
  } else if (plan.optimal) {
    plan.certificateText =
        options.objective == Objective::Bytes
            ? std::string("optimal(bytes)")
            : "optimal(time, " + model.getMachine().name.str() + ")";
  } else {
    char text[64];
    if (plan.bound > 0)
      std::snprintf(text, sizeof(text), "gap(%.4g x bound)",
                    plan.sentBytes / plan.bound);
    else
      std::snprintf(text, sizeof(text), "gap(%.4g bytes over bound 0)",
                    plan.sentBytes);
    plan.certificateText = text;
  }
}

void ReshardPlanner::Impl::fill(ReshardPlan &plan, const PlanKey &key) const {
  if (key.from == key.to) {
    plan.optimal = true;
    certify(plan);
    return;
  }
  ReshardProblem problem{atoms,           model,     key.from, key.to,
                         key.shape,       key.elementBits, 0,  0,
                         options.memoryLimit};
  auto prefixes = takePrefix(atoms, problem.from, problem.to, problem.shape);
  for (const AtomList &prefix : prefixes)
    for (AtomId atom : prefix)
      problem.forbidden |= atomBit(atom);
  problem.spares = chooseSpares(problem);
  search(problem, plan);
  for (ReshardStep &step : plan.steps) {
    putPrefix(prefixes, step.before);
    putPrefix(prefixes, step.after);
  }
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
  PlanKey key{canonicalize(impl->atoms, from), canonicalize(impl->atoms, to),
              Shape(shape.begin(), shape.end()), elementBits};
  auto [position, isNew] = impl->plans.try_emplace(key);
  if (isNew) {
    position->second = std::make_unique<ReshardPlan>();
    impl->fill(*position->second, key);
  }
  return *position->second;
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
