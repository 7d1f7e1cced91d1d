// The bound of a reshard. Two facts, each true of every plan that is made of our
// collectives, whose cost per step is the most that a device sends or receives:
// - a device receives every element of its target box that it does not hold (all
//   of the box where partial sums are to be reduced);
// - to reduce g partial values of an element and give the sum to D devices takes
//   (g-1) + (D-1) messages, and no plan does better than to share them evenly.
#include "ReshardBound.h"
#include <algorithm>

using namespace partita;

void ReshardBound::getHeld(const Layout &layout, HeldBoxes &held) {
  held.dims.resize(shape.size());
  if (!devices.isEnumerable())
    return;
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

namespace {
/// Unreduced atoms that stay (kept) and those to be reduced.
struct Partials {
  AtomMask kept = 0, reduced = 0;
  Partials(const Layout &from, const Layout &to) {
    if (from.kind == to.kind)
      kept = from.unreduced & to.unreduced;
    reduced = from.unreduced & ~kept;
  }
};
} // namespace

double ReshardBound::get(const Layout &from, const HeldBoxes &heldFrom,
                         const Layout &to, const HeldBoxes &heldTo) const {
  const AxisAtoms &atoms = devices.getAtoms();
  double result = devices.isEnumerable() ? getListed(from, heldFrom, to, heldTo)
                                         : getClosedForm(from, to);
  Partials partials(from, to);
  if (!partials.reduced)
    return result;
  double elements = 1;
  for (int64_t n : shape)
    elements *= double(n);
  double count = double(devices.size());
  double kept = double(atoms.getSize(partials.kept));
  double targets = count / (double(atoms.getSize(to.getSharded())) * kept);
  double messages = double(atoms.getSize(partials.reduced)) - 1 +
                    std::max(targets, 1.0) - 1;
  return std::max(result, elements * kept * messages / count);
}

double ReshardBound::getListed(const Layout &from, const HeldBoxes &heldFrom,
                               const Layout &to,
                               const HeldBoxes &heldTo) const {
  int64_t count = devices.size();
  bool reduces = Partials(from, to).reduced != 0;
  int64_t largest = 0;
  for (int64_t v = 0; v < count; ++v) {
    int64_t target = 1, overlap = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      const IndexInterval &a = heldFrom.dims[d][v], &b = heldTo.dims[d][v];
      target *= b.size();
      overlap *= std::max<int64_t>(
          0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
    }
    largest = std::max(largest, reduces ? target : target - overlap);
  }
  return double(largest);
}

static bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/// For meshes too large to list. Where all sizes divide, some device holds the
/// least overlap: nothing of the target unless its blocks nest in every
/// dimension.
double ReshardBound::getClosedForm(const Layout &from, const Layout &to) const {
  const AxisAtoms &atoms = devices.getAtoms();
  bool nested = true;
  double target = 1, overlap = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t a = atoms.getSize(from.dims[d]), b = atoms.getSize(to.dims[d]);
    if (shape[d] % a != 0 || shape[d] % b != 0 || !isPowerOfTwo(a) ||
        !isPowerOfTwo(b))
      return 0;
    size_t common = std::min(from.dims[d].size(), to.dims[d].size());
    nested &= std::equal(from.dims[d].begin(), from.dims[d].begin() + common,
                         to.dims[d].begin());
    target *= double(shape[d] / b);
    overlap *= double(shape[d] / std::max(a, b));
  }
  if (Partials(from, to).reduced)
    return target;
  return nested ? target - overlap : target;
}
