// The bound of a reshard. Two facts, each true of every plan that is made of our
// collectives, whose cost per step is the most that a device sends or receives:
// - a device receives every element of its target box that it does not hold (all
//   of the box where partial sums are to be reduced);
// - to reduce g partial values of an element and give the sum to D devices takes
//   (g-1) + (D-1) messages, and no plan does better than to share them evenly.
#include "ReshardBound.h"
#include <algorithm>

using namespace partita;

ReshardBound::ReshardBound(const LiveDevices &devices,
                           llvm::ArrayRef<int64_t> shape, const Layout &goal)
    : devices(devices), shape(shape), goal(goal) {}

void ReshardBound::getHeld(const Layout &layout, HeldBoxes &held) {
  held.dims.resize(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t n = shape[d];
    int64_t block = ceilDiv(n, getShardCount(devices.getAtoms(), layout, d));
    devices.getBlocks(layout.dims[d], blocks);
    auto &intervals = held.dims[d];
    intervals.resize(blocks.size());
    for (size_t v = 0; v < blocks.size(); ++v) {
      int64_t begin = int64_t(blocks[v]) * block;
      intervals[v] = {std::min(begin, n), std::min(begin + block, n)};
    }
  }
}

/// Unreduced atoms of `from` that are to be reduced before `to`.
static AtomMask getReduced(const Layout &from, const Layout &to) {
  return from.kind == to.kind ? from.unreduced & ~to.unreduced
                              : from.unreduced;
}

double ReshardBound::get(const Layout &layout) {
  const AxisAtoms &atoms = devices.getAtoms();
  AtomMask reduced = getReduced(layout, goal);
  double result = 0;
  if (auto even = getEven(layout, goal, reduced != 0)) {
    result = *even;
  } else {
    if (!hasGoal)
      getHeld(goal, heldGoal);
    hasGoal = true;
    getHeld(layout, heldTo);
    result = getListed(heldTo, heldGoal, reduced != 0);
  }
  if (!reduced)
    return result;
  double elements = 1;
  for (int64_t n : shape)
    elements *= double(n);
  double count = double(devices.size());
  double kept = double(atoms.getSize(layout.unreduced & ~reduced));
  double targets = count / (double(atoms.getSize(goal.getSharded())) * kept);
  double messages =
      double(atoms.getSize(reduced)) - 1 + std::max(targets, 1.0) - 1;
  return std::max(result, elements * kept * messages / count);
}

double ReshardBound::getReceived(const Layout &from, const Layout &to) {
  if (auto even = getEven(from, to, /*reduces=*/false))
    return *even;
  if (!listedFrom || *listedFrom != from) {
    getHeld(from, heldFrom);
    listedFrom = from;
  }
  getHeld(to, heldTo);
  return getListed(heldFrom, heldTo, /*reduces=*/false);
}

/// Over the listed devices: some of them already bound the maximum.
double ReshardBound::getListed(const HeldBoxes &from, const HeldBoxes &to,
                               bool reduces) const {
  int64_t largest = 0;
  for (int64_t v = 0; v < devices.getNumListed(); ++v) {
    int64_t target = 1, overlap = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      const IndexInterval &a = from.dims[d][v], &b = to.dims[d][v];
      target *= b.size();
      overlap *= std::max<int64_t>(
          0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
    }
    largest = std::max(largest, reduces ? target : target - overlap);
  }
  return double(largest);
}

/// The same in closed form where all sizes divide and coordinates along atoms
/// are independent. Where the blocks of some dimension do not nest, their first
/// different atoms have coordinates (0, last), so that some device holds nothing
/// of its target.
std::optional<double> ReshardBound::getEven(const Layout &from,
                                            const Layout &to,
                                            bool reduces) const {
  const AxisAtoms &atoms = devices.getAtoms();
  if (atoms.hasAlternatives())
    return std::nullopt;
  bool nested = true;
  double target = 1, overlap = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const AtomList &x = from.dims[d], &y = to.dims[d];
    int64_t a = atoms.getSize(x), b = atoms.getSize(y);
    if (shape[d] % a != 0 || shape[d] % b != 0)
      return std::nullopt;
    nested &= std::equal(x.begin(), x.begin() + std::min(x.size(), y.size()),
                         y.begin());
    target *= double(shape[d] / b);
    overlap *= double(shape[d] / std::max(a, b));
  }
  return nested && !reduces ? target - overlap : target;
}
