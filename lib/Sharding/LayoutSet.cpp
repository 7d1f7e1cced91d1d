// The layouts that a reshard may pass through.
#include "ReshardSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace partita;

AtomMask partita::getSearchAtoms(const ReshardProblem &problem) {
  const AxisAtoms &atoms = problem.atoms;
  AtomMask live =
      problem.from.getUsed() | problem.to.getUsed() | problem.spares;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis) {
    AtomMask onAxis = 0;
    for (AtomId atom = 0; atom < atoms.size(); ++atom)
      if (atoms[atom].axis == axis)
        onAxis |= atomBit(atom);
    if (atoms.getNumFactorisations(axis) > 1 && (live & onAxis))
      live |= onAxis;
  }
  return live;
}

unsigned LayoutSet::insert(const Layout &layout) {
  Layout canonical = canonicalize(atoms, layout);
  // The two values that a key can't have become one that it can.
  size_t hash = size_t(hash_value(canonical)) >> 2;
  int &last = lastOfHash.try_emplace(hash, -1).first->second;
  for (int index = last; index >= 0; index = previous[index])
    if (layouts[index] == canonical)
      return unsigned(index);
  layouts.push_back(std::move(canonical));
  previous.push_back(last);
  last = int(layouts.size()) - 1;
  return unsigned(last);
}

namespace {

/// Largest number of combinations of one family of usual layouts, and of usual
/// layouts to which spare atoms are added.
constexpr size_t maxCombinations = 64;
constexpr size_t maxWithSpares = 200;

/// Unreduced atoms of `from` that the target keeps.
AtomMask getKept(const ReshardProblem &problem) {
  if (problem.from.kind != problem.to.kind)
    return 0;
  return problem.from.unreduced & problem.to.unreduced;
}

/// Adds `layout`, with its partial sums as they are and all reduced, and with
/// the spare atoms on each dimension.
void addVariants(const ReshardProblem &problem, Layout layout, LayoutSet &set) {
  AtomMask kept = getKept(problem);
  AtomMask unreduced = layout.unreduced;
  for (AtomMask mask : {unreduced, unreduced & kept, AtomMask(0)}) {
    layout.unreduced = mask;
    set.insert(layout);
    if (!problem.spares || set.size() > maxWithSpares)
      continue;
    for (AtomList &dim : layout.dims) {
      size_t size = dim.size();
      for (AtomMask rest = problem.spares; rest; rest &= rest - 1) {
        dim.push_back(AtomId(llvm::countr_zero(rest)));
        set.insert(layout);
      }
      dim.resize(size);
    }
  }
}

/// Adds `base` with every combination of prefixes of `tails` appended. What
/// overlaps an appended atom, in whichever factorisation, is no longer
/// unreduced.
void addExtensions(const ReshardProblem &problem, const Layout &base,
                   llvm::ArrayRef<AtomList> tails, LayoutSet &set) {
  size_t combinations = 1;
  for (const AtomList &tail : tails)
    combinations *= tail.size() + 1;
  bool allOrNothing = combinations > maxCombinations;
  if (allOrNothing)
    combinations = 2;
  for (size_t i = 0; i < combinations; ++i) {
    Layout layout = base;
    size_t rest = i;
    for (size_t d = 0; d < tails.size(); ++d) {
      size_t length =
          allOrNothing ? i * tails[d].size() : rest % (tails[d].size() + 1);
      rest /= tails[d].size() + 1;
      for (size_t j = 0; j < length; ++j) {
        layout.dims[d].push_back(tails[d][j]);
        layout.unreduced &= ~problem.atoms.getOverlap(tails[d][j]);
      }
    }
    addVariants(problem, layout, set);
  }
}

/// Enumerates all layouts.
class Enumerator {
public:
  Enumerator(const ReshardProblem &problem, size_t limit, LayoutSet &set)
      : problem(problem), limit(limit), set(set) {
    AtomMask live = getSearchAtoms(problem);
    for (AtomId atom = 0; atom < problem.atoms.size(); ++atom)
      if ((live & atomBit(atom)) &&
          !(problem.atoms.getOverlap(atom) & problem.forbidden))
        candidates.push_back(atom);
  }

  /// Layouts without unreduced atoms, if all candidates may stand together.
  double count() const {
    double rank = double(problem.shape.size()), total = 0, arrangements = 1;
    for (size_t k = 0; k <= candidates.size(); ++k) {
      total += arrangements;
      // Choose and order k+1 of the atoms, and k+1 of them among the dims.
      arrangements *=
          double(candidates.size() - k) * (double(k) + rank) / (double(k) + 1);
    }
    return total;
  }

  bool run() {
    if (!problem.atoms.hasAlternatives() && count() > double(limit))
      return false;
    Layout layout(problem.shape.size());
    visit(layout, 0, 0);
    return !overflow;
  }

private:
  void addSubsets(Layout layout, AtomMask used, AtomMask unreduced,
                  spmd::ReductionKind kind) {
    AtomMask free = unreduced & ~used;
    layout.kind = kind;
    for (AtomMask mask = free; mask; mask = (mask - 1) & free) {
      layout.unreduced = mask;
      set.insert(layout);
    }
  }

  void visit(Layout &layout, size_t dim, AtomMask used) {
    if (set.size() > limit)
      overflow = true;
    if (overflow)
      return;
    if (dim == layout.getRank()) {
      set.insert(layout);
      addSubsets(layout, used, problem.from.unreduced, problem.from.kind);
      addSubsets(layout, used, problem.to.unreduced, problem.to.kind);
      return;
    }
    visit(layout, dim + 1, used);
    for (AtomId atom : candidates) {
      if (used & atomBit(atom))
        continue;
      layout.dims[dim].push_back(atom);
      visit(layout, dim, used | problem.atoms.getOverlap(atom));
      layout.dims[dim].pop_back();
    }
  }

  const ReshardProblem &problem;
  size_t limit;
  LayoutSet &set;
  AtomList candidates;
  bool overflow = false;
};

} // namespace

void partita::addUsualLayouts(const ReshardProblem &problem, LayoutSet &set) {
  const Layout &from = problem.from, &to = problem.to;
  AtomMask fromUsed =
      problem.atoms.getOverlap(from.getSharded() | getKept(problem));
  // Partial sums that the target has may be made last, of sharded values.
  AtomMask toUsed = problem.atoms.getOverlap(to.getSharded());
  size_t rank = problem.shape.size();
  llvm::SmallVector<AtomList, 4> early(rank), late(rank);
  Layout common(rank);
  common.unreduced = getKept(problem);
  common.kind = from.kind;
  for (size_t d = 0; d < rank; ++d) {
    const AtomList &a = from.dims[d], &b = to.dims[d];
    for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
      common.dims[d].push_back(a[i]);
    for (AtomId atom : to.dims[d])
      if (!(fromUsed & atomBit(atom)))
        early[d].push_back(atom);
    for (AtomId atom : from.dims[d])
      if (!(toUsed & atomBit(atom)))
        late[d].push_back(atom);
  }
  addExtensions(problem, from, early, set);
  addExtensions(problem, to, late, set);
  addVariants(problem, common, set);
  addVariants(problem, Layout(rank), set);
}

bool partita::addAllLayouts(const ReshardProblem &problem, size_t limit,
                            LayoutSet &set) {
  return Enumerator(problem, limit, set).run();
}
