// Permutations of devices in terms of mesh axes.
#include "AxisMatching.h"

#include "MixedRadix.h"

using namespace mlir;
using namespace partita::spmd;

namespace partita {

namespace {

/// The pairs as positions on a mesh, and the work of expressing them.
class PermuteMatcher {
public:
  PermuteMatcher(MeshAttr mesh) : mesh(mesh), sizes(getAxisSizes(mesh)) {
    int64_t step = mesh.getNumDevices();
    for (int64_t size : sizes)
      strides.push_back(step /= size);
  }

  std::optional<PermuteMatch>
  match(ArrayRef<std::pair<int64_t, int64_t>> devicePairs,
        ArrayRef<AxisRefAttr> preferred, std::string &reason);

private:
  bool readPairs(ArrayRef<std::pair<int64_t, int64_t>> devicePairs,
                 std::string &reason);
  int64_t getCoordinate(int64_t position, unsigned axis) const {
    return position / strides[axis] % sizes[axis];
  }
  /// Mixed-radix index of a position over `axes`.
  int64_t getIndex(int64_t position, ArrayRef<unsigned> axes) const {
    int64_t index = 0;
    for (unsigned axis : axes)
      index = index * sizes[axis] + getCoordinate(position, axis);
    return index;
  }
  /// Pairs over `axes` if all positions that agree on them send alike.
  std::optional<SmallVector<std::pair<int64_t, int64_t>>>
  project(ArrayRef<unsigned> axes) const;
  bool matchShift(ArrayRef<unsigned> axes,
                  ArrayRef<std::pair<int64_t, int64_t>> projected,
                  PermuteMatch &match) const;
  bool matchAxisOrder(ArrayRef<unsigned> axes,
                      ArrayRef<std::pair<int64_t, int64_t>> projected,
                      PermuteMatch &match) const;

  MeshAttr mesh;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
};

} // namespace

bool PermuteMatcher::readPairs(
    ArrayRef<std::pair<int64_t, int64_t>> devicePairs, std::string &reason) {
  DenseMap<int64_t, int64_t> positionOf;
  for (auto [position, id] : llvm::enumerate(getDeviceIds(mesh)))
    positionOf[id] = position;
  DenseSet<int64_t> sources, targets;
  for (auto [source, target] : devicePairs) {
    for (int64_t id : {source, target})
      if (!positionOf.contains(id)) {
        reason = "device " + std::to_string(id) + " is not on the mesh";
        return false;
      }
    if (!sources.insert(source).second) {
      reason = "device " + std::to_string(source) + " sends twice";
      return false;
    }
    if (!targets.insert(target).second) {
      reason = "device " + std::to_string(target) + " receives twice";
      return false;
    }
    pairs.push_back({positionOf[source], positionOf[target]});
  }
  return true;
}

std::optional<SmallVector<std::pair<int64_t, int64_t>>>
PermuteMatcher::project(ArrayRef<unsigned> axes) const {
  int64_t groupSize = 1;
  for (unsigned axis : axes)
    groupSize *= sizes[axis];
  // Occurrences of each projected pair; each must occur once per group.
  std::map<std::pair<int64_t, int64_t>, int64_t> count;
  for (auto [source, target] : pairs)
    ++count[{getIndex(source, axes), getIndex(target, axes)}];
  int64_t groups = mesh.getNumDevices() / groupSize;
  SmallVector<std::pair<int64_t, int64_t>> projected;
  for (auto [pair, times] : count) {
    if (times != groups)
      return std::nullopt;
    projected.push_back(pair);
  }
  return projected;
}

/// Whether each coordinate moves by a constant, with or without wrapping.
bool PermuteMatcher::matchShift(ArrayRef<unsigned> axes,
                                ArrayRef<std::pair<int64_t, int64_t>> projected,
                                PermuteMatch &match) const {
  int64_t groupSize = 1;
  SmallVector<int64_t> minor(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    minor[i] = groupSize;
    groupSize *= sizes[axes[i]];
  }
  auto coordinate = [&](int64_t index, size_t i) {
    return index / minor[i] % sizes[axes[i]];
  };
  bool wrap = static_cast<int64_t>(projected.size()) == groupSize;
  SmallVector<int64_t> shift;
  int64_t inside = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t n = sizes[axes[i]];
    int64_t step =
        coordinate(projected[0].second, i) - coordinate(projected[0].first, i);
    // The nearer way round; half way goes up.
    if (wrap && 2 * step > n)
      step -= n;
    else if (wrap && 2 * step <= -n)
      step += n;
    shift.push_back(step);
    inside *= n - std::abs(step);
  }
  if (!wrap && static_cast<int64_t>(projected.size()) != inside)
    return false;
  for (auto [source, target] : projected)
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t n = sizes[axes[i]];
      int64_t moved = coordinate(source, i) + shift[i];
      if (wrap)
        moved = (moved + n) % n;
      if (moved != coordinate(target, i))
        return false;
    }
  match.shift = std::move(shift);
  match.wrap = wrap;
  return true;
}

/// Whether the move only renames axes: the index of the receiver over the axes
/// in another order is the index of the sender.
bool PermuteMatcher::matchAxisOrder(
    ArrayRef<unsigned> axes, ArrayRef<std::pair<int64_t, int64_t>> projected,
    PermuteMatch &match) const {
  SmallVector<int64_t> grid;
  int64_t groupSize = 1;
  for (unsigned axis : axes) {
    grid.push_back(sizes[axis]);
    groupSize *= sizes[axis];
  }
  if (static_cast<int64_t>(projected.size()) != groupSize)
    return false;
  SmallVector<int64_t> senderOf(groupSize, -1);
  for (auto [source, target] : projected)
    senderOf[target] = source;
  auto digits = decomposeIntoDigits(grid, senderOf);
  if (!digits || senderOf[0] != 0)
    return false;
  auto ordered = orderAsMixedRadix(std::move(*digits));
  if (!ordered)
    return false;
  for (const Digit &digit : *ordered) {
    MeshAxisAttr axis = mesh.getAxes()[axes[digit.axis]];
    bool whole = digit.pre == 1 && digit.size == axis.getSize();
    // `to` lists the same axes in another order, not parts of them.
    if (!whole)
      return false;
    match.targetAxes.push_back(
        AxisRefAttr::get(mesh.getContext(), axis.getName(), 0, 0));
  }
  return match.targetAxes.size() == axes.size();
}

std::optional<PermuteMatch>
PermuteMatcher::match(ArrayRef<std::pair<int64_t, int64_t>> devicePairs,
                      ArrayRef<AxisRefAttr> preferred, std::string &reason) {
  if (!readPairs(devicePairs, reason))
    return std::nullopt;
  bool total = static_cast<int64_t>(pairs.size()) == mesh.getNumDevices();
  PermuteMatch match;
  if (total && llvm::all_of(pairs, [](auto p) { return p.first == p.second; }))
    return match;

  // The axes along which something moves, then the preferred ones, then all.
  SmallVector<unsigned> moving, wanted, all;
  for (unsigned axis = 0; axis < sizes.size(); ++axis) {
    all.push_back(axis);
    StringRef name = mesh.getAxes()[axis].getName();
    if (llvm::any_of(preferred,
                     [&](AxisRefAttr ref) { return ref.getName() == name; }))
      wanted.push_back(axis);
    if (llvm::any_of(pairs, [&](auto p) {
          return getCoordinate(p.first, axis) != getCoordinate(p.second, axis);
        }))
      moving.push_back(axis);
  }
  SmallVector<unsigned> axes;
  std::optional<SmallVector<std::pair<int64_t, int64_t>>> projected;
  for (const auto &candidate : {moving, wanted, all}) {
    if (candidate.empty())
      continue;
    axes = candidate;
    if ((projected = project(axes)))
      break;
  }
  if (!projected) {
    reason = "the pairs do not describe a permutation of the mesh";
    return std::nullopt;
  }
  for (unsigned axis : axes)
    match.axes.push_back(AxisRefAttr::get(
        mesh.getContext(), mesh.getAxes()[axis].getName(), 0, 0));
  if (projected->empty() || matchShift(axes, *projected, match))
    return match;
  if (matchAxisOrder(axes, *projected, match))
    return match;
  match.targetAxes.clear();
  for (auto [source, target] : *projected) {
    match.pairs.push_back(source);
    match.pairs.push_back(target);
  }
  return match;
}

std::optional<PermuteMatch>
matchPermute(MeshAttr mesh, ArrayRef<std::pair<int64_t, int64_t>> pairs,
             ArrayRef<AxisRefAttr> preferred, std::string &reason) {
  return PermuteMatcher(mesh).match(pairs, preferred, reason);
}

} // namespace partita
