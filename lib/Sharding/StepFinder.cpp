// Single collectives between layouts. A dimension may be split or merged in
// place where blocks nest (Layout.h); an uneven split pads its operand, an
// uneven merge leaves a tail that is cut.
#include "StepFinder.h"
#include "partita/Sharding/ExchangeSchedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace partita;

static bool isPrefix(const AtomList &prefix, const AtomList &list) {
  return prefix.size() <= list.size() &&
         std::equal(prefix.begin(), prefix.end(), list.begin());
}

static AtomMask getMask(llvm::ArrayRef<AtomId> list) {
  AtomMask mask = 0;
  for (AtomId atom : list)
    mask |= atomBit(atom);
  return mask;
}

static AtomList toList(AtomMask mask) {
  AtomList list;
  for (; mask; mask &= mask - 1)
    list.push_back(AtomId(llvm::countr_zero(mask)));
  return list;
}

StepPrice StepFinder::getPrice(CollectiveKind kind, AtomMask group,
                               llvm::ArrayRef<int64_t> operand,
                               llvm::ArrayRef<int64_t> result,
                               ReshardStep *step) const {
  double operandBytes = elementBits / 8.0, resultBytes = elementBits / 8.0;
  for (size_t d = 0; d < operand.size(); ++d) {
    operandBytes *= double(operand[d]);
    resultBytes *= double(result[d]);
  }
  StepPrice price{kind,
                  model.getCost(kind, getGroup(atoms, group), operandBytes),
                  operandBytes + resultBytes};
  if (step) {
    step->kind = kind;
    step->operandShape.assign(operand.begin(), operand.end());
    step->resultShape.assign(result.begin(), result.end());
    step->cost = price.cost;
    step->peakBytes = price.peakBytes;
  }
  return price;
}

std::optional<StepPrice> StepFinder::find(const Layout &before,
                                          const Layout &after,
                                          ReshardStep *step) const {
  if (!atoms.hasAlternatives()) {
    if (step) {
      step->before = before;
      step->after = after;
    }
    return findCommon(before, after, step);
  }
  // Both must be read in one factorisation per axis.
  Layout first = before, second = after;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis) {
    unsigned count = atoms.getNumFactorisations(axis);
    if (count == 1)
      continue;
    bool found = false;
    for (unsigned index = 0; index < count && !found; ++index) {
      auto a = express(atoms, first, axis, index);
      auto b = express(atoms, second, axis, index);
      if (a && b) {
        first = *a;
        second = *b;
        found = true;
      }
    }
    if (!found)
      return std::nullopt;
  }
  if (step) {
    step->before = first;
    step->after = second;
  }
  return findCommon(first, second, step);
}

std::optional<StepPrice> StepFinder::findCommon(const Layout &before,
                                                const Layout &after,
                                                ReshardStep *step) const {
  if (before.unreduced != after.unreduced)
    return findReduction(before, after, step);
  if (before.unreduced && before.kind != after.kind)
    return std::nullopt;
  size_t rank = shape.size();
  bool grows = true, shrinks = true;
  for (size_t d = 0; d < rank; ++d) {
    grows &= isPrefix(before.dims[d], after.dims[d]);
    shrinks &= isPrefix(after.dims[d], before.dims[d]);
  }
  if (!grows && !shrinks) {
    if (auto price = findAllToAll(before, after, step))
      return price;
    return findPermute(before, after, step);
  }

  AtomMask group = 0;
  Shape operand(rank), result(rank);
  // Of one index, the first device of a group has all.
  bool isOwned = !grows;
  if (step)
    step->dimAtoms.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    const AtomList &shorter = grows ? before.dims[d] : after.dims[d];
    const AtomList &longer = grows ? after.dims[d] : before.dims[d];
    auto added = llvm::ArrayRef<AtomId>(longer).drop_front(shorter.size());
    int64_t outer = atoms.getSize(shorter), inner = atoms.getSize(added);
    if (!nests(shape[d], outer, inner))
      return std::nullopt;
    group |= getMask(added);
    if (step)
      step->dimAtoms[d].assign(added.begin(), added.end());
    int64_t large = ceilDiv(shape[d], outer), small = ceilDiv(large, inner);
    operand[d] = grows ? large : small;
    result[d] = grows ? small : small * inner;
    isOwned &= added.empty() || large == 1;
  }
  if (isOwned) {
    if (step)
      step->atoms = toList(group);
    return getPrice(CollectiveKind::Broadcast, group, operand, operand, step);
  }
  return getPrice(grows ? CollectiveKind::AllSlice : CollectiveKind::AllGather,
                  group, operand, result, step);
}

/// all_reduce, reduce_scatter and to_unreduced: the unreduced atoms differ.
std::optional<StepPrice> StepFinder::findReduction(const Layout &before,
                                                   const Layout &after,
                                                   ReshardStep *step) const {
  AtomMask removed = before.unreduced & ~after.unreduced;
  AtomMask added = after.unreduced & ~before.unreduced;
  if ((removed && added) ||
      (before.unreduced && after.unreduced && before.kind != after.kind))
    return std::nullopt;
  size_t rank = shape.size();
  AtomMask scattered = 0;
  Shape operand(rank), result(rank);
  if (step) {
    step->dimAtoms.assign(rank, {});
    step->reduction = added ? after.kind : before.kind;
  }
  for (size_t d = 0; d < rank; ++d) {
    if (!isPrefix(before.dims[d], after.dims[d]))
      return std::nullopt;
    auto tail =
        llvm::ArrayRef<AtomId>(after.dims[d]).drop_front(before.dims[d].size());
    int64_t outer = atoms.getSize(before.dims[d]), inner = atoms.getSize(tail);
    if (!nests(shape[d], outer, inner))
      return std::nullopt;
    scattered |= getMask(tail);
    if (step)
      step->dimAtoms[d].assign(tail.begin(), tail.end());
    result[d] = ceilDiv(ceilDiv(shape[d], outer), inner);
    operand[d] = result[d] * inner;
  }
  if (added) {
    if (scattered)
      return std::nullopt;
    if (step)
      step->atoms = toList(added);
    return getPrice(CollectiveKind::ToUnreduced, added, operand, result, step);
  }
  if (!scattered) {
    if (step)
      step->atoms = toList(removed);
    return getPrice(CollectiveKind::AllReduce, removed, operand, result, step);
  }
  if (scattered != removed)
    return std::nullopt;
  return getPrice(CollectiveKind::ReduceScatter, removed, operand, result,
                  step);
}

namespace {
/// What is still to leave a source or to enter a target of an all_to_all.
struct Pending {
  unsigned dim;
  llvm::ArrayRef<AtomId> atoms;
};
} // namespace

/// Orders the moves so that each takes the minor atoms of its source and
/// appends them, in order, to its target. Every move that can be made may be
/// made first.
static bool orderMoves(llvm::SmallVectorImpl<Pending> &sources,
                       llvm::SmallVectorImpl<Pending> &targets,
                       ReshardStep *step) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (Pending &source : sources) {
      for (Pending &target : targets) {
        if (source.atoms.empty())
          break;
        auto last = llvm::find(target.atoms, source.atoms.back());
        if (last == target.atoms.end())
          continue;
        size_t length = last - target.atoms.begin() + 1;
        if (length > source.atoms.size() ||
            source.atoms.take_back(length) != target.atoms.take_front(length))
          continue;
        if (step)
          step->moves.push_back(
              {AtomList(target.atoms.begin(), target.atoms.begin() + length),
               source.dim, target.dim});
        source.atoms = source.atoms.drop_back(length);
        target.atoms = target.atoms.drop_front(length);
        progress = true;
      }
    }
  }
  return llvm::all_of(sources,
                      [](const Pending &p) { return p.atoms.empty(); }) &&
         llvm::all_of(targets,
                      [](const Pending &p) { return p.atoms.empty(); });
}

std::optional<StepPrice> StepFinder::findAllToAll(const Layout &before,
                                                  const Layout &after,
                                                  ReshardStep *step) const {
  size_t rank = shape.size();
  AtomMask removed = 0, appended = 0;
  Shape operand(rank), result(rank);
  llvm::SmallVector<Pending, 4> sources, targets;
  for (size_t d = 0; d < rank; ++d) {
    const AtomList &a = before.dims[d], &b = after.dims[d];
    if (isPrefix(b, a)) {
      auto tail = llvm::ArrayRef<AtomId>(a).drop_front(b.size());
      int64_t outer = atoms.getSize(b), inner = atoms.getSize(tail);
      if (!nests(shape[d], outer, inner))
        return std::nullopt;
      operand[d] = ceilDiv(shape[d], outer * inner);
      result[d] = operand[d] * inner;
      removed |= getMask(tail);
      if (!tail.empty())
        sources.push_back({unsigned(d), tail});
    } else if (isPrefix(a, b)) {
      auto tail = llvm::ArrayRef<AtomId>(b).drop_front(a.size());
      int64_t outer = atoms.getSize(a), inner = atoms.getSize(tail);
      if (!nests(shape[d], outer, inner))
        return std::nullopt;
      result[d] = ceilDiv(shape[d], outer * inner);
      operand[d] = result[d] * inner;
      appended |= getMask(tail);
      targets.push_back({unsigned(d), tail});
    } else {
      return std::nullopt;
    }
  }
  if (removed != appended)
    return std::nullopt;
  if (step)
    step->moves.clear();
  if (!orderMoves(sources, targets, step))
    return std::nullopt;
  return getPrice(CollectiveKind::AllToAll, removed, operand, result, step);
}

/// Removes atoms that stand at the same place of both numberings: equal, with
/// equally many devices before them.
static void dropFixed(const AxisAtoms &atoms, AtomList &source,
                      AtomList &target) {
  AtomMask fixed = 0;
  int64_t sourceSize = 1;
  for (AtomId atom : source) {
    int64_t targetSize = 1;
    for (AtomId other : target) {
      if (other == atom && targetSize == sourceSize)
        fixed |= atomBit(atom);
      targetSize *= atoms.getSize(other);
    }
    sourceSize *= atoms.getSize(atom);
  }
  auto isFixed = [&](AtomId atom) { return (fixed & atomBit(atom)) != 0; };
  llvm::erase_if(source, isFixed);
  llvm::erase_if(target, isFixed);
}

std::optional<StepPrice> StepFinder::findPermute(const Layout &before,
                                                 const Layout &after,
                                                 ReshardStep *step) const {
  size_t rank = shape.size();
  Shape local(rank);
  AtomList source, target;
  for (size_t d = 0; d < rank; ++d) {
    int64_t count = atoms.getSize(before.dims[d]);
    if (count != atoms.getSize(after.dims[d]))
      return std::nullopt;
    local[d] = ceilDiv(shape[d], count);
    source.append(before.dims[d]);
    target.append(after.dims[d]);
  }
  // Replicas are numbered by the atoms that only the other side uses.
  AtomMask sourceMask = getMask(source), targetMask = getMask(target);
  source.append(toList(targetMask & ~sourceMask));
  target.append(toList(sourceMask & ~targetMask));
  dropFixed(atoms, source, target);
  auto price =
      getPrice(CollectiveKind::Permute, getMask(source), local, local, step);
  if (step) {
    step->atoms = source;
    step->targetAtoms = target;
  }
  return price;
}

std::optional<StepPrice> StepFinder::findExchange(const Layout &before,
                                                  const Layout &after,
                                                  ReshardStep *step) const {
  if (before.unreduced || after.unreduced)
    return std::nullopt;
  llvm::SmallVector<ExchangeInterval, 4> intervals;
  Shape operand, result;
  double bytes = elementBits / 8.0, operandBytes = bytes, resultBytes = bytes;
  for (size_t d = 0; d < shape.size(); ++d) {
    operand.push_back(ceilDiv(shape[d], atoms.getSize(before.dims[d])));
    result.push_back(ceilDiv(shape[d], atoms.getSize(after.dims[d])));
    intervals.push_back({0, result[d], result[d]});
    operandBytes *= double(operand[d]);
    resultBytes *= double(result[d]);
  }
  StepPrice price{
      CollectiveKind::Exchange,
      priceExchange(atoms, model, before, after, shape, intervals, elementBits),
      operandBytes + resultBytes};
  if (step) {
    step->kind = CollectiveKind::Exchange;
    step->before = before;
    step->after = after;
    step->intervals = intervals;
    step->operandShape = operand;
    step->resultShape = result;
    step->cost = price.cost;
    step->peakBytes = price.peakBytes;
  }
  return price;
}
